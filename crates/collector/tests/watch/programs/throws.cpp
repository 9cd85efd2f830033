// Exceptions that leave a call of MPI through the error handler.
#include <cstdio>
#include <mpi.h>
#include <stdexcept>

static void thrower(MPI_Comm *, int *, ...) { throw std::runtime_error("thrown"); }

int main() {
    MPI_Init(nullptr, nullptr);
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(thrower, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
    int caught = 0, value = 0;
    for (int k = 0; k < 5; ++k) {
        try {
            MPI_Send(&value, 1, MPI_INT, 77, 0, MPI_COMM_SELF);
        } catch (const std::runtime_error &) {
            ++caught;
        }
    }
    for (int k = 0; k < 5; ++k)
        MPI_Barrier(MPI_COMM_SELF);
    std::printf("caught %d\n", caught);
    MPI_Finalize();
}
