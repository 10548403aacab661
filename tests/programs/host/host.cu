// What host programs do around their kernels, by the first argument. A global object uses the device before main and after it.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <cuda_runtime.h>
__global__ void add(int* at, int number) { atomicAdd(at, number); }
static const char* name(cudaError_t error) { return cudaGetErrorName(error); }
struct Early {
  int* at = nullptr;
  Early() {
    std::printf("before main %s\n", name(cudaMalloc(&at, sizeof *at)));
    (void)cudaMemset(at, 0, sizeof *at);
    add<<<1, 32>>>(at, 1);
  }
  ~Early() {
    int got = 0;
    add<<<1, 32>>>(at, 2);
    const cudaError_t copied = cudaMemcpy(&got, at, sizeof got, cudaMemcpyDeviceToHost);
    std::printf("behind main %s %d %s\n", name(copied), got, name(cudaFree(at)));
    std::fflush(stdout);
  }
} early;
static void at_exit() { std::printf("at exit %s\n", name(cudaDeviceSynchronize())); }
struct PerThread {
  ~PerThread() { std::printf("at a thread's end %s\n", name(cudaDeviceSynchronize())); }
};
static void exits(void*) { std::exit(3); }
static cudaStream_t stream;
static int got;
/// What waits for itself is an error; what does not wait works.
static void inside(void*) {
  std::printf("%s %s %s ", name(cudaDeviceSynchronize()), name(cudaStreamSynchronize(stream)), name(cudaStreamDestroy(stream)));
  std::printf("%s %s %s\n", name(cudaDeviceReset()), name(cudaMemcpy(&got, early.at, sizeof got, cudaMemcpyDeviceToHost)), name(cudaFree(early.at)));
  int* own = nullptr;
  const cudaError_t allocated = cudaMalloc(&own, 4);
  std::printf("%s %s\n", name(allocated), name(cudaStreamQuery(stream)));
}
static int use(const char* who) {
  int *at = nullptr, count = 0;
  cudaError_t error = cudaMalloc(&at, sizeof *at);
  if (error == cudaSuccess) error = cudaMemset(at, 0, sizeof *at);
  add<<<1, 32>>>(at, 1);
  if (error == cudaSuccess) error = cudaMemcpy(&count, at, sizeof count, cudaMemcpyDeviceToHost);
  std::printf("%s %s %d\n", who, name(error), count);
  std::fflush(stdout);
  return error != cudaSuccess;
}
static void plugin(const char* file) {
  for (int i = 0; i < 2; ++i) {
    void* const library = dlopen(file, RTLD_NOW);
    if (library == nullptr) std::printf("%s\n", dlerror());
    std::printf("%d\n", reinterpret_cast<int (*)(int)>(dlsym(library, "run"))(i + 5));
    dlclose(library);
  }
}
int main(int argc, char** argv) {
  const char* const what = argc > 1 ? argv[1] : "";
  std::atexit(at_exit);
  add<<<2, 32>>>(early.at, 1);
  if (std::strcmp(what, "exit") == 0) {
    (void)cudaLaunchHostFunc(nullptr, exits, nullptr);
    std::printf("not reached %s\n", name(cudaDeviceSynchronize()));
  } else if (std::strcmp(what, "inside") == 0) {
    (void)cudaStreamCreate(&stream);
    add<<<1, 32, 0, stream>>>(early.at, 1);
    (void)cudaLaunchHostFunc(stream, inside, nullptr);
    add<<<1, 32, 0, stream>>>(early.at, 1);
    std::printf("%s\n", name(cudaDeviceSynchronize()));
  } else if (std::strcmp(what, "fork") == 0 || std::strcmp(what, "cleared") == 0) {
    if (std::strcmp(what, "cleared") == 0) (void)clearenv();
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) _exit(use("child"));
    int status = 0;
    waitpid(child, &status, 0);
    use(WIFEXITED(status) && WEXITSTATUS(status) == 0 ? "parent" : "parent of a child that failed");
  } else if (std::strcmp(what, "plugin") == 0) {
    plugin(argv[2]);
  } else {
    std::thread([] {
      thread_local PerThread own;
      (void)&own;
    }).join();
  }
  return 0;
}
