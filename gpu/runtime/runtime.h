/* The runtime of the card by neutral names: CUDA's, or HIP's for AMD (CURLEW_HIP). Nothing outside gpu/ includes this,
 * and nothing inside gpu/ says cuda or hip elsewhere. */
#pragma once

#include <string.h>

#if defined(__HIP__) || defined(CURLEW_HIP)
#include <hip/hip_runtime.h>
#define GPU(name) hip##name
#else
#include <cuda_runtime.h>
#define GPU(name) cuda##name
#endif

typedef GPU(Error_t) gpuError_t;
typedef GPU(Stream_t) gpuStream_t;
typedef GPU(Event_t) gpuEvent_t;
typedef GPU(Graph_t) gpuGraph_t;
typedef GPU(GraphExec_t) gpuGraphExec_t;
#if defined(__HIP__) || defined(CURLEW_HIP)
typedef hipDeviceProp_t gpuDeviceProp;
#else
typedef struct cudaDeviceProp gpuDeviceProp;
#endif

#define gpuSuccess                  GPU(Success)
#define gpuErrorMemoryAllocation    GPU(ErrorMemoryAllocation)
#define gpuErrorNoDevice            GPU(ErrorNoDevice)
#define gpuErrorInsufficientDriver  GPU(ErrorInsufficientDriver)
#define gpuErrorInitializationError GPU(ErrorInitializationError)
#define gpuGetErrorString           GPU(GetErrorString)
#define gpuGetLastError             GPU(GetLastError)
#define gpuPeekAtLastError          GPU(PeekAtLastError)
#define gpuGetDevice                GPU(GetDevice)
#define gpuSetDevice                GPU(SetDevice)
#define gpuGetDeviceCount           GPU(GetDeviceCount)
#define gpuGetDeviceProperties      GPU(GetDeviceProperties)
#define gpuDeviceSynchronize        GPU(DeviceSynchronize)
#define gpuMemGetInfo               GPU(MemGetInfo)
#define gpuMalloc                   GPU(Malloc)
#define gpuFree                     GPU(Free)
#define gpuMemset                   GPU(Memset)
#define gpuMemsetAsync              GPU(MemsetAsync)
#define gpuMemcpy                   GPU(Memcpy)
#define gpuMemcpyAsync              GPU(MemcpyAsync)
#define gpuMemcpyHostToDevice       GPU(MemcpyHostToDevice)
#define gpuMemcpyDeviceToHost       GPU(MemcpyDeviceToHost)
#define gpuMemcpyDeviceToDevice     GPU(MemcpyDeviceToDevice)
#define gpuStreamCreateWithFlags    GPU(StreamCreateWithFlags)
#define gpuStreamNonBlocking        GPU(StreamNonBlocking)
#define gpuStreamCreateWithPriority GPU(StreamCreateWithPriority)
#define gpuStreamPriorityRange      GPU(DeviceGetStreamPriorityRange)
#define gpuStreamDestroy            GPU(StreamDestroy)
#define gpuStreamSynchronize        GPU(StreamSynchronize)
#define gpuStreamWaitEvent          GPU(StreamWaitEvent)
#define gpuEventCreate              GPU(EventCreate)
#define gpuEventCreateWithFlags     GPU(EventCreateWithFlags)
#define gpuEventDisableTiming       GPU(EventDisableTiming)
#define gpuEventDestroy             GPU(EventDestroy)
#define gpuEventRecord              GPU(EventRecord)
#define gpuEventSynchronize         GPU(EventSynchronize)
#define gpuEventElapsedTime         GPU(EventElapsedTime)
#define gpuStreamBeginCapture       GPU(StreamBeginCapture)
#define gpuStreamEndCapture         GPU(StreamEndCapture)
#define gpuStreamCaptureThreadLocal GPU(StreamCaptureModeThreadLocal)
#define gpuGraphInstantiate         GPU(GraphInstantiateWithFlags)
#define gpuGraphLaunch              GPU(GraphLaunch)
#define gpuGraphDestroy             GPU(GraphDestroy)
#define gpuGraphExecDestroy         GPU(GraphExecDestroy)
#define gpuFuncSetAttribute         GPU(FuncSetAttribute)
#if defined(__HIP__) || defined(CURLEW_HIP)
#define gpuMallocHost(pointer, bytes) hipHostMalloc(pointer, bytes, hipHostMallocDefault)
#define gpuFreeHost                   hipHostFree
#define gpuMaxDynamicSharedMemory     hipFuncAttributeMaxDynamicSharedMemorySize
#define gpuErrorDevicesUnavailable    hipErrorNotReady
#define gpuErrorDeviceLost            hipErrorUnknown
#define gpuErrorECCUncorrectable      hipErrorECCNotCorrectable
#define gpuShuffleXor(value, other)   __shfl_xor(value, other)
#else
#define gpuShuffleXor(value, other) __shfl_xor_sync(0xffffffffu, value, other) /* of a warp, all of it */
#define gpuMallocHost               cudaMallocHost
#define gpuFreeHost                 cudaFreeHost
#define gpuMaxDynamicSharedMemory   cudaFuncAttributeMaxDynamicSharedMemorySize
#define gpuErrorDevicesUnavailable  cudaErrorDevicesUnavailable
#define gpuErrorDeviceLost          cudaErrorUnknown
#define gpuErrorECCUncorrectable    cudaErrorECCUncorrectable
#endif

/* A card's own name, which tells it from all others: GPU_UUID bytes. */
enum { GPU_UUID = 16 };
static inline gpuError_t gpu_uuid_of(int device, void *uuid)
{
#if defined(__HIP__) || defined(CURLEW_HIP)
  return hipDeviceGetUuid((hipUUID *)uuid, device);
#else
  gpuDeviceProp card;
  gpuError_t status = gpuGetDeviceProperties(&card, device);
  if (status == gpuSuccess) memcpy(uuid, &card.uuid, GPU_UUID);
  return status;
#endif
}
