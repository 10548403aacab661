// What this runtime does not have: each says so when it is called, with what to do instead.
#include "runtime/runtime.h"

// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): one line a function
#define HEDDLE_REFUSE(name) \
  HEDDLE_CUDA int name() { return heddle::runtime::refuse(#name, HEDDLE_INSTEAD); }

#define HEDDLE_INSTEAD \
  "Build the graph of kernels, copies, fills and host functions, or capture it from a stream."
HEDDLE_REFUSE(cudaGraphAddExternalSemaphoresSignalNode)
HEDDLE_REFUSE(cudaGraphAddExternalSemaphoresWaitNode)
HEDDLE_REFUSE(cudaGraphConditionalHandleCreate)
HEDDLE_REFUSE(cudaGraphExecExternalSemaphoresSignalNodeSetParams)
HEDDLE_REFUSE(cudaGraphExecExternalSemaphoresWaitNodeSetParams)
HEDDLE_REFUSE(cudaGraphExternalSemaphoresSignalNodeGetParams)
HEDDLE_REFUSE(cudaGraphExternalSemaphoresSignalNodeSetParams)
HEDDLE_REFUSE(cudaGraphExternalSemaphoresWaitNodeGetParams)
HEDDLE_REFUSE(cudaGraphExternalSemaphoresWaitNodeSetParams)
HEDDLE_REFUSE(cudaGraphReleaseUserObject)
HEDDLE_REFUSE(cudaGraphRetainUserObject)
HEDDLE_REFUSE(cudaGraphicsEGLRegisterImage)
HEDDLE_REFUSE(cudaGraphicsGLRegisterBuffer)
HEDDLE_REFUSE(cudaGraphicsGLRegisterImage)
HEDDLE_REFUSE(cudaGraphicsMapResources)
HEDDLE_REFUSE(cudaGraphicsResourceGetMappedEglFrame)
HEDDLE_REFUSE(cudaGraphicsResourceGetMappedMipmappedArray)
HEDDLE_REFUSE(cudaGraphicsResourceGetMappedPointer)
HEDDLE_REFUSE(cudaGraphicsResourceSetMapFlags)
HEDDLE_REFUSE(cudaGraphicsSubResourceGetMappedArray)
HEDDLE_REFUSE(cudaGraphicsUnmapResources)
HEDDLE_REFUSE(cudaGraphicsUnregisterResource)
HEDDLE_REFUSE(cudaGraphicsVDPAURegisterOutputSurface)
HEDDLE_REFUSE(cudaGraphicsVDPAURegisterVideoSurface)
HEDDLE_REFUSE(cudaUserObjectCreate)
HEDDLE_REFUSE(cudaUserObjectRelease)
HEDDLE_REFUSE(cudaUserObjectRetain)
#undef HEDDLE_INSTEAD

#define HEDDLE_INSTEAD \
  "Use arrays of one level, without sparse memory and views: cudaMallocArray or cudaMalloc3DArray."
HEDDLE_REFUSE(cudaArrayGetMemoryRequirements)
HEDDLE_REFUSE(cudaArrayGetPlane)
HEDDLE_REFUSE(cudaArrayGetSparseProperties)
HEDDLE_REFUSE(cudaExternalMemoryGetMappedMipmappedArray)
HEDDLE_REFUSE(cudaFreeMipmappedArray)
HEDDLE_REFUSE(cudaGetMipmappedArrayLevel)
HEDDLE_REFUSE(cudaGetTextureObjectResourceViewDesc)
HEDDLE_REFUSE(cudaMipmappedArrayGetMemoryRequirements)
HEDDLE_REFUSE(cudaMipmappedArrayGetSparseProperties)
#undef HEDDLE_INSTEAD

#define HEDDLE_INSTEAD "Let one process use the device; a simulated machine is of one process."
HEDDLE_REFUSE(cudaIpcCloseMemHandle)
HEDDLE_REFUSE(cudaIpcGetEventHandle)
HEDDLE_REFUSE(cudaIpcGetMemHandle)
HEDDLE_REFUSE(cudaIpcOpenEventHandle)
HEDDLE_REFUSE(cudaIpcOpenMemHandle)
HEDDLE_REFUSE(cudaMemPoolExportPointer)
HEDDLE_REFUSE(cudaMemPoolExportToShareableHandle)
HEDDLE_REFUSE(cudaMemPoolImportFromShareableHandle)
HEDDLE_REFUSE(cudaMemPoolImportPointer)
#undef HEDDLE_INSTEAD

#define HEDDLE_INSTEAD \
  "Graphics interfaces have nothing to work with here: keep the data in cudaMalloc memory."
HEDDLE_REFUSE(cudaDestroyExternalMemory)
HEDDLE_REFUSE(cudaDestroyExternalSemaphore)
HEDDLE_REFUSE(cudaDeviceGetNvSciSyncAttributes)
HEDDLE_REFUSE(cudaEGLStreamConsumerAcquireFrame)
HEDDLE_REFUSE(cudaEGLStreamConsumerConnect)
HEDDLE_REFUSE(cudaEGLStreamConsumerConnectWithFlags)
HEDDLE_REFUSE(cudaEGLStreamConsumerDisconnect)
HEDDLE_REFUSE(cudaEGLStreamConsumerReleaseFrame)
HEDDLE_REFUSE(cudaEGLStreamProducerConnect)
HEDDLE_REFUSE(cudaEGLStreamProducerDisconnect)
HEDDLE_REFUSE(cudaEGLStreamProducerPresentFrame)
HEDDLE_REFUSE(cudaEGLStreamProducerReturnFrame)
HEDDLE_REFUSE(cudaEventCreateFromEGLSync)
HEDDLE_REFUSE(cudaExternalMemoryGetMappedBuffer)
HEDDLE_REFUSE(cudaGLGetDevices)
HEDDLE_REFUSE(cudaGLMapBufferObject)
HEDDLE_REFUSE(cudaGLMapBufferObjectAsync)
HEDDLE_REFUSE(cudaGLRegisterBufferObject)
HEDDLE_REFUSE(cudaGLSetBufferObjectMapFlags)
HEDDLE_REFUSE(cudaGLSetGLDevice)
HEDDLE_REFUSE(cudaGLUnmapBufferObject)
HEDDLE_REFUSE(cudaGLUnmapBufferObjectAsync)
HEDDLE_REFUSE(cudaGLUnregisterBufferObject)
HEDDLE_REFUSE(cudaImportExternalMemory)
HEDDLE_REFUSE(cudaImportExternalSemaphore)
HEDDLE_REFUSE(cudaSignalExternalSemaphoresAsync)
HEDDLE_REFUSE(cudaVDPAUGetDevice)
HEDDLE_REFUSE(cudaVDPAUSetVDPAUDevice)
HEDDLE_REFUSE(cudaWaitExternalSemaphoresAsync)
#undef HEDDLE_INSTEAD

#define HEDDLE_INSTEAD "There is no driver below this runtime: use the runtime function of the same purpose."
HEDDLE_REFUSE(__cudaGetProcAddress)
HEDDLE_REFUSE(cudaGetExportTable)
HEDDLE_REFUSE(cudaGetFuncBySymbol)
#undef HEDDLE_INSTEAD

#define HEDDLE_INSTEAD "Make the copies one by one, with cudaMemcpyAsync."
HEDDLE_REFUSE(cudaMemDiscardAndPrefetchBatchAsync)
HEDDLE_REFUSE(cudaMemDiscardBatchAsync)
HEDDLE_REFUSE(cudaMemPrefetchBatchAsync)
HEDDLE_REFUSE(cudaMemcpy3DBatchAsync)
HEDDLE_REFUSE(cudaMemcpyBatchAsync)
#undef HEDDLE_INSTEAD

#define HEDDLE_INSTEAD "Leave the call out: the program needs no answer from it to compute its results."
HEDDLE_REFUSE(cudaDeviceFlushGPUDirectRDMAWrites)
HEDDLE_REFUSE(cudaDeviceGetHostAtomicCapabilities)
HEDDLE_REFUSE(cudaDeviceGetP2PAtomicCapabilities)
HEDDLE_REFUSE(cudaDeviceRegisterAsyncNotification)
HEDDLE_REFUSE(cudaDeviceUnregisterAsyncNotification)
HEDDLE_REFUSE(cudaLogsCurrent)
HEDDLE_REFUSE(cudaLogsDumpToFile)
HEDDLE_REFUSE(cudaLogsDumpToMemory)
HEDDLE_REFUSE(cudaLogsRegisterCallback)
HEDDLE_REFUSE(cudaLogsUnregisterCallback)
HEDDLE_REFUSE(cudaMemGetDefaultMemPool)
HEDDLE_REFUSE(cudaMemGetMemPool)
HEDDLE_REFUSE(cudaMemSetMemPool)
#undef HEDDLE_INSTEAD

#define HEDDLE_INSTEAD \
  "Use the kernels and variables of the program itself, or cudaLibraryLoadData and cudaLibraryGetKernel."
HEDDLE_REFUSE(cudaKernelSetAttributeForDevice)
HEDDLE_REFUSE(cudaLibraryEnumerateKernels)
HEDDLE_REFUSE(cudaLibraryGetKernelCount)
HEDDLE_REFUSE(cudaLibraryGetManaged)
HEDDLE_REFUSE(cudaLibraryGetUnifiedFunction)
HEDDLE_REFUSE(cudaLibraryLoadFromFile)
#undef HEDDLE_INSTEAD
