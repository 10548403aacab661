#pragma once
void saxpy(int n, float a, const float* x, float* y);
