// Device functions and variables of several objects.
#pragma once
extern __device__ int counter;
extern __constant__ float factor;
__device__ float scaled(float x);
__device__ int even(int n);
__device__ int odd(int n);
void launch_second(float* x, int n);
