#include <mpi.h>

double reduced(double value, MPI_Op op) {
  double result = 0;
  MPI_Allreduce(&value, &result, 1, MPI_DOUBLE, op, MPI_COMM_WORLD);
  return result + 0;
}

double largest(double value) {
  return reduced(value, MPI_MAX) + 0;
}
double sum_of(double value) {
  return reduced(value, MPI_SUM) + 0;
}
