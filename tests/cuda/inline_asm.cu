// asm volatile blocks with scopes, labels, predicates and their own registers.
__global__ void spin(unsigned* flag, unsigned* out) {
  unsigned seen;
  asm volatile(
      "{\n"
      "  .reg .pred p;\n"
      "  .reg .b32 t<3>;\n"
      "again_%=:\n"
      "  ld.acquire.gpu.global.u32 t1, [%1];\n"
      "  setp.eq.u32 p, t1, 0;\n"
      "  @p bra again_%=;\n"
      "  { .reg .b64 wide; cvt.u64.u32 wide, t1; }\n"
      "  @!p mov.u32 %0, t1;\n"
      "}\n"
      : "=r"(seen)
      : "l"(flag)
      : "memory");
  asm volatile("st.release.sys.global.v2.u32 [%0+8], {%1, %1};" ::"l"(out), "r"(seen) : "memory");
  unsigned lane;
  asm("mov.u32 %0, %%laneid; // a comment; with a semicolon" : "=r"(lane));
  out[lane] = seen + __activemask();
}
