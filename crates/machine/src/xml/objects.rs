//! The tree of objects, flattened into what we keep of it.

use std::collections::HashMap;

use numawise_facts::Cache;
use numawise_units::{Arrange, Bytes, CpuId, CpuSet, Id, IdSet, NodeId, stored};
use roxmltree::Node as Element;

use super::bitmap;
use crate::error::XmlError;
use crate::files::{MOST_CACHE, MOST_MEMORY, shortened};

/// A NUMA node as it stands in the XML.
pub(super) struct XmlNode {
    pub id: NodeId,
    pub cpus: CpuSet,
    /// With those that are offline or not described.
    pub complete: CpuSet,
    pub memory: Option<u64>,
    pub subtype: Option<String>,
}

/// The objects that matter to us.
pub(super) struct Objects<'a, 'input> {
    root: Element<'a, 'input>,
    /// The CPUs that are online.
    pub cpus: CpuSet,
    pub cores: Vec<CpuSet>,
    pub packages: Vec<CpuSet>,
    pub caches: Vec<Cache>,
    pub nodes: Vec<XmlNode>,
    /// hwloc's own numbers of nodes, by which attributes refer to them.
    pub node_numbers: HashMap<u64, NodeId>,
    /// The CPUs of every object by its number.
    pub cpus_of: HashMap<u64, CpuSet>,
}

impl<'a, 'input> Objects<'a, 'input> {
    pub fn read(topology: Element<'a, 'input>) -> Result<Self, XmlError> {
        let root = topology
            .children()
            .find(|child| child.has_tag_name("object"))
            .ok_or(XmlError::Lacks("objects"))?;
        let mut objects = Objects {
            root,
            cpus: CpuSet::new(),
            cores: Vec::new(),
            packages: Vec::new(),
            caches: Vec::new(),
            nodes: Vec::new(),
            node_numbers: HashMap::new(),
            cpus_of: HashMap::new(),
        };
        for element in root.descendants().filter(|e| e.has_tag_name("object")) {
            objects.add(element)?;
        }
        objects.nodes.arrange_by_key(|node| node.id);
        Ok(objects)
    }

    fn add(&mut self, element: Element<'_, '_>) -> Result<(), XmlError> {
        let object_type = element.attribute("type").ok_or(XmlError::NoType)?;
        let Some(cpuset) = element.attribute("cpuset") else {
            return Ok(()); // a device
        };
        let cpus: CpuSet = bitmap::parse(cpuset)?;
        let number: Option<u64> = optional(element, "gp_index")?;
        if let Some(number) = number {
            self.cpus_of.insert(number, cpus.clone());
        }
        match object_type {
            "PU" => {
                let id = identifier::<CpuId>(element)?;
                if !self.cpus.insert(id) {
                    return Err(XmlError::Twice { noun: CpuId::NOUN, index: id.0 });
                }
            }
            "Core" => self.cores.push(cpus),
            "Package" => self.packages.push(cpus),
            "NUMANode" => {
                let id = identifier::<NodeId>(element)?;
                if self.nodes.iter().any(|node| node.id == id) {
                    return Err(XmlError::Twice { noun: NodeId::NOUN, index: id.0 });
                }
                if let Some(number) = number {
                    self.node_numbers.insert(number, id);
                }
                let complete = element.attribute("complete_cpuset").map(bitmap::parse).transpose()?;
                self.nodes.push(XmlNode {
                    id,
                    complete: complete.unwrap_or_default().union(&cpus),
                    cpus,
                    memory: below(element, "local_memory", MOST_MEMORY, "less than 2^57 bytes of memory")?,
                    subtype: element.attribute("subtype").map(str::to_owned),
                });
            }
            "L1Cache" | "L2Cache" | "L3Cache" | "L4Cache" | "L5Cache" => self.caches.push(Cache {
                level: u32::from(object_type.as_bytes()[1] - b'0'),
                size: Bytes(below(element, "cache_size", MOST_CACHE, "less than 2^40 bytes")?.unwrap_or(0)),
                cpus,
            }),
            _ => {}
        }
        Ok(())
    }

    /// A set that stands at the root.
    pub fn root_set<T: Id>(&self, name: &str) -> Result<Option<IdSet<T>>, XmlError> {
        self.root.attribute(name).map(bitmap::parse).transpose()
    }

    /// Whether sizes of memory were known at all.
    pub fn knows_memory(&self) -> bool {
        self.nodes.iter().any(|node| node.memory.is_some())
    }
}

fn identifier<T: Id>(element: Element<'_, '_>) -> Result<T, XmlError> {
    match optional::<u32>(element, "os_index")? {
        Some(index) => Ok(stored(index.into())?),
        None => Err(XmlError::NoIndex { noun: T::NOUN }),
    }
}

/// A number in an attribute that need not be there, and is below a bound.
fn below(
    element: Element<'_, '_>,
    name: &str,
    most: u64,
    expected: &'static str,
) -> Result<Option<u64>, XmlError> {
    match optional::<u64>(element, name)? {
        Some(found) if found >= most => Err(XmlError::Impossible { what: name.to_owned(), found, expected }),
        found => Ok(found),
    }
}

/// A number in an attribute that need not be there.
pub(super) fn optional<N: std::str::FromStr>(
    element: Element<'_, '_>,
    name: &str,
) -> Result<Option<N>, XmlError> {
    element
        .attribute(name)
        .map(|text| {
            text.parse()
                .map_err(|_| XmlError::NotANumber { attribute: name.to_owned(), found: shortened(text) })
        })
        .transpose()
}
