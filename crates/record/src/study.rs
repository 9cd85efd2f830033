//! The record of a study, from its first trial to its last.

use std::path::{Path, PathBuf};

use numawise_facts::{ObjectRun, PrintedLines, StopReason, Study, StudyHeader, Trial};
use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior};

use crate::file::{check, connect, open_file, recognise, update};
use crate::lock::WriterLock;
use crate::schema::STUDY;
use crate::{RecordError, guard, lines, make, object_rows, read, valid, write};

/// The record of one study.
///
/// Every change is one transaction with SQLite's rollback journal and `synchronous = FULL`: the process may be killed at
/// any moment and the machine may lose its power, and the file is whole, up to the last [`Record::append`] that returned.
#[derive(Debug)]
pub struct Record {
    // The order matters: fields are dropped from the top, and the lock must go after the connection.
    connection: Connection,
    header: StudyHeader,
    path: PathBuf,
    _lock: Option<WriterLock>,
}

impl Record {
    /// Makes a new record without trials: see [`Record::create_with`].
    ///
    /// # Errors
    /// As [`Record::create_with`].
    pub fn create(path: &Path, header: &StudyHeader) -> Result<Record, RecordError> {
        Record::create_with(path, header, &[])
    }

    /// Makes a new record with its first trials: it is there with all of them, or not at all. A file that is there already is
    /// not touched, unless it is empty.
    ///
    /// # Errors
    /// [`RecordError::Exists`], [`RecordError::Directory`], [`RecordError::ReadOnly`], [`RecordError::Full`],
    /// [`RecordError::Unstorable`], or what else the file system says. Nothing is left behind.
    pub fn create_with(path: &Path, header: &StudyHeader, trials: &[Trial]) -> Result<Record, RecordError> {
        if path.is_dir() {
            return Err(RecordError::Directory(path.to_owned()));
        }
        let lock = make::create(path, &bytes(path, header, trials)?)?;
        Ok(Record {
            connection: connect(path)?,
            header: header.clone(),
            path: path.to_owned(),
            _lock: Some(lock),
        })
    }

    /// Makes a new record in the place of an older one, which is gone afterwards: see [`Record::replace_with`].
    ///
    /// # Errors
    /// As [`Record::replace_with`].
    pub fn replace(path: &Path, header: &StudyHeader) -> Result<Record, RecordError> {
        Record::replace_with(path, header, &[])
    }

    /// Makes a new record with its first trials in the place of an older one, which is gone afterwards. Only a record of ours
    /// (also a damaged one) or an empty file is replaced, and only by a record that is complete.
    ///
    /// # Errors
    /// As [`Record::create_with`]; [`RecordError::InUse`] when somebody measures into the old one; [`RecordError::NotARecord`]
    /// when the file is something else.
    pub fn replace_with(path: &Path, header: &StudyHeader, trials: &[Trial]) -> Result<Record, RecordError> {
        if !path.exists() {
            return Record::create_with(path, header, trials);
        }
        if path.is_dir() {
            return Err(RecordError::Directory(path.to_owned()));
        }
        let lock = make::replace(path, &bytes(path, header, trials)?, &STUDY)?;
        Ok(Record {
            connection: connect(path)?,
            header: header.clone(),
            path: path.to_owned(),
            _lock: Some(lock),
        })
    }

    /// Opens a record to go on with it.
    ///
    /// # Errors
    /// Whatever keeps the file from being a whole record that we know and may write: see [`RecordError`].
    pub fn open(path: &Path) -> Result<Record, RecordError> {
        let lock = WriterLock::take(open_file(path, true)?, path)?;
        let mut connection = connect(path)?;
        guard::bound(&mut connection, path)?;
        let version = recognise(&connection, path, &STUDY)?;
        check(&connection, path)?;
        update(&mut connection, path, &STUDY, version)?;
        let header = read::header(&connection, path)?;
        guard::unbound(&mut connection, path)?;
        Ok(Record { connection, header, path: path.to_owned(), _lock: Some(lock) })
    }

    /// Opens a record to look at it, also while a study runs into it.
    ///
    /// # Errors
    /// Whatever keeps the file from being a record that we know and may read: see [`RecordError`].
    pub fn open_to_read(path: &Path) -> Result<Record, RecordError> {
        drop(open_file(path, false)?);
        let mut connection = connect(path)?;
        guard::bound(&mut connection, path)?;
        recognise(&connection, path, &STUDY)?;
        check(&connection, path)?;
        connection
            .pragma_update(None, "query_only", true)
            .map_err(|e| RecordError::sqlite(path, "open it", e))?;
        let header = read::header(&connection, path)?;
        Ok(Record { connection, header, path: path.to_owned(), _lock: None })
    }

    pub fn header(&self) -> &StudyHeader {
        &self.header
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The study as it stands.
    ///
    /// # Errors
    /// [`RecordError::Damaged`] when the rows do not make sense, or what SQLite says.
    pub fn study(&self) -> Result<Study, RecordError> {
        let mut study = read::study(&self.connection, &self.path, &self.header)?;
        study.lines = lines::lines(&self.connection, &self.path, &self.header)?;
        study.objects = object_rows::objects(&self.connection, &self.path)?;
        Ok(study)
    }

    /// Keeps a trial. When this returns, it is on the disk; when it fails, nothing of it is.
    ///
    /// # Errors
    /// [`RecordError::Full`], [`RecordError::Busy`], [`RecordError::Duplicate`], [`RecordError::UnknownPoint`], or what
    /// else SQLite says.
    pub fn append(&mut self, trial: &Trial) -> Result<(), RecordError> {
        if self.header.point(&trial.point).is_none() {
            return Err(RecordError::UnknownPoint {
                path: self.path.clone(),
                number: trial.number,
                point: trial.point.to_string(),
            });
        }
        // What reading would refuse is not written: one trial must not cost all others.
        valid::trial(&self.header, trial).map_err(|flaw| RecordError::Unstorable(flaw.to_string()))?;
        self.keep(trial, write::insert)
    }

    fn keep(
        &mut self,
        trial: &Trial,
        insert: impl FnOnce(&Transaction<'_>, &Trial) -> rusqlite::Result<()>,
    ) -> Result<(), RecordError> {
        let written = (|| {
            let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            insert(&transaction, trial)?;
            transaction.commit()
        })();
        written.map_err(|error| match error.sqlite_error() {
            Some(e) if e.code == ErrorCode::ConstraintViolation => {
                RecordError::Duplicate { path: self.path.clone(), number: trial.number }
            }
            _ => RecordError::sqlite(&self.path, "keep a trial in it", error),
        })
    }

    /// Gives the study of a grid more points, or another number of repeats: see [`Record::widens`]. Trials stay.
    ///
    /// # Errors
    /// As [`Record::append`].
    pub fn widen(&mut self, header: &StudyHeader) -> Result<(), RecordError> {
        write::storable_study(header)?;
        valid::header(header).map_err(|flaw| RecordError::Unstorable(flaw.to_string()))?;
        let written = (|| {
            let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            write::widened(&transaction, header)?;
            transaction.commit()
        })();
        written.map_err(|e| RecordError::sqlite(&self.path, "widen the study in it", e))?;
        self.header = header.clone();
        Ok(())
    }

    /// Keeps which lines are run as they are printed, and why others are not; the runs that were kept stay unless `lines` has none.
    ///
    /// # Errors
    /// As [`Record::append`].
    pub fn set_lines(&mut self, lines: &PrintedLines) -> Result<(), RecordError> {
        let unsound = |flaw: valid::Flaw| RecordError::Unstorable(flaw.to_string());
        valid::lines(&self.header, lines).map_err(unsound)?;
        let written = (|| {
            let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            lines::put(&transaction, lines)?;
            transaction.commit()
        })();
        written.map_err(|e| RecordError::sqlite(&self.path, "keep the lines in it", e))
    }

    /// Keeps a run of a line, as [`Record::append`] a trial.
    ///
    /// # Errors
    /// As [`Record::append`].
    pub fn append_line(&mut self, trial: &Trial) -> Result<(), RecordError> {
        valid::line_trial(&self.header, trial).map_err(|flaw| RecordError::Unstorable(flaw.to_string()))?;
        self.keep(trial, lines::insert)
    }

    /// Keeps the memory objects of a run of the program after the trials, in the place of those that were there.
    ///
    /// # Errors
    /// As [`Record::append`].
    pub fn set_objects(&mut self, run: &ObjectRun) -> Result<(), RecordError> {
        object_rows::storable(run)?;
        let written = (|| {
            let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            object_rows::put(&transaction, run)?;
            transaction.commit()
        })();
        written.map_err(|e| RecordError::sqlite(&self.path, "keep the memory objects in it", e))
    }

    /// Notes why measuring ended, or (`None`) that it goes on.
    ///
    /// # Errors
    /// As [`Record::append`].
    pub fn set_stopped(&mut self, stopped: Option<StopReason>) -> Result<(), RecordError> {
        self.connection
            .execute("UPDATE study SET stopped = ?1", [stopped.as_ref().map(write::word)])
            .map(drop)
            .map_err(|e| RecordError::sqlite(&self.path, "note the end of the study in it", e))
    }
}

/// The file of a study.
fn bytes(path: &Path, header: &StudyHeader, trials: &[Trial]) -> Result<Vec<u8>, RecordError> {
    write::storable_study(header)?;
    let sound =
        valid::header(header).and_then(|()| trials.iter().try_for_each(|trial| valid::trial(header, trial)));
    sound.map_err(|flaw| RecordError::Unstorable(flaw.to_string()))?;
    make::bytes(path, &STUDY, |transaction| {
        write::header(transaction, header)?;
        trials.iter().try_for_each(|trial| write::insert(transaction, trial))
    })
}
