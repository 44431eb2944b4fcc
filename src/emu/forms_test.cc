// Forms of arithmetic instructions that the executor takes: ptxas takes each of them too, so that
// none is made up, and the executor refuses none of the list.
#include <gtest/gtest.h>

#include <fstream>

#include "emu/test_kernel.h"
#include "support/toolkit.h"

namespace egpu::emu {
namespace {

constexpr std::string_view kForms[] = {
    // Integers.
    "add.s16 %h0, %h1, %h2",
    "add.u32 %r0, %r1, 5",
    "add.sat.s32 %r0, %r1, %r2",
    "add.s64 %q0, %q1, %q2",
    "add.u16x2 %r0, %r1, %r2",
    "add.s16x2 %r0, %r1, %r2",
    "sub.u16 %h0, %h1, %h2",
    "sub.sat.s32 %r0, %r1, %r2",
    "add.cc.u32 %r0, %r1, %r2",
    "addc.cc.s32 %r0, %r1, %r2",
    "addc.u64 %q0, %q1, %q2",
    "sub.cc.u64 %q0, %q1, %q2",
    "subc.cc.u32 %r0, %r1, %r2",
    "mad.lo.cc.u32 %r0, %r1, %r2, %r3",
    "madc.hi.cc.s32 %r0, %r1, %r2, %r3",
    "madc.lo.u64 %q0, %q1, %q2, %q3",
    "mul.lo.u16 %h0, %h1, %h2",
    "mul.hi.s64 %q0, %q1, %q2",
    "mul.wide.u32 %q0, %r1, %r2",
    "mul.wide.s16 %r0, %h1, %h2",
    "mad.wide.s32 %q0, %r1, %r2, %q3",
    "mad.hi.sat.s32 %r0, %r1, %r2, %r3",
    "mul24.hi.u32 %r0, %r1, %r2",
    "mad24.lo.s32 %r0, %r1, %r2, %r3",
    "mad24.hi.sat.s32 %r0, %r1, %r2, %r3",
    "sad.u16 %h0, %h1, %h2, %h3",
    "sad.s64 %q0, %q1, %q2, %q3",
    "div.s32 %r0, %r1, %r2",
    "div.u16 %h0, %h1, %h2",
    "rem.u64 %q0, %q1, %q2",
    "abs.s16 %h0, %h1",
    "neg.s64 %q0, %q1",
    "min.u16 %h0, %h1, %h2",
    "max.s64 %q0, %q1, %q2",
    "min.relu.s32 %r0, %r1, %r2",
    "max.relu.s16x2 %r0, %r1, %r2",
    "vabsdiff4.u32.u32.u32 %r0, %r1, %r2, %r3",
    "vabsdiff4.u32.u32.u32.add %r0, %r1, %r2, %r3",
    "min.u16x2 %r0, %r1, %r2",
    "dp4a.u32.s32 %r0, %r1, %r2, %r3",
    "dp2a.lo.s32.u32 %r0, %r1, %r2, %r3",
    // Bits.
    "shl.b16 %h0, %h1, %r2",
    "shl.b64 %q0, %q1, 7",
    "shr.b32 %r0, %r1, %r2",
    "shr.s64 %q0, %q1, %r2",
    "shf.l.wrap.b32 %r0, %r1, %r2, %r3",
    "shf.r.clamp.b32 %r0, %r1, %r2, 3",
    "and.pred %p0, %p1, !%p2",
    "or.b16 %h0, %h1, %h2",
    "xor.b64 %q0, %q1, -1",
    "not.pred %p0, %p1",
    "not.b32 %r0, %r1",
    "cnot.b16 %h0, %h1",
    "lop3.b32 %r0, %r1, %r2, %r3, 0x96",
    "lop3.or.b32 %r0|%p0, %r1, %r2, %r3, 0x1a, %p1",
    "lop3.and.b32 _|%p0, %r1, %r2, %r3, 0x1a, %p1",
    "popc.b64 %r0, %q1",
    "clz.b32 %r0, %r1",
    "bfind.u64 %r0, %q1",
    "bfind.shiftamt.s32 %r0, %r1",
    "fns.b32 %r0, %r1, %r2, %r3",
    "brev.b64 %q0, %q1",
    "bfe.s32 %r0, %r1, 4, %r2",
    "bfe.u64 %q0, %q1, %r1, %r2",
    "bfi.b64 %q0, %q1, %q2, %r1, %r2",
    "szext.clamp.s32 %r0, %r1, %r2",
    "szext.wrap.u32 %r0, %r1, 8",
    "bmsk.clamp.b32 %r0, %r1, %r2",
    "bmsk.wrap.b32 %r0, 1, %r2",
    "prmt.b32 %r0, %r1, %r2, 0x5410",
    "prmt.b32.f4e %r0, %r1, %r2, %r3",
    "prmt.b32.b4e %r0, %r1, %r2, %r3",
    "prmt.b32.rc8 %r0, %r1, %r2, %r3",
    "prmt.b32.ecl %r0, %r1, %r2, %r3",
    "prmt.b32.ecr %r0, %r1, %r2, %r3",
    "prmt.b32.rc16 %r0, %r1, %r2, %r3",
    // Floats.
    "add.f32 %f0, %f1, 0f3F800000",
    "add.rz.ftz.sat.f32 %f0, %f1, %f2",
    "sub.rm.f64 %d0, %d1, %d2",
    "mul.rp.ftz.f32 %f0, %f1, %f2",
    "fma.rn.ftz.sat.f32 %f0, %f1, %f2, %f3",
    "fma.rz.f64 %d0, %d1, %d2, %d3",
    "mad.rn.f32 %f0, %f1, %f2, %f3",
    "add.rn.ftz.f32x2 %q0, %q1, %q2",
    "mul.rz.f32x2 %q0, %q1, %q2",
    "fma.rn.f32x2 %q0, %q1, %q2, %q3",
    "add.f32.bf16 %f0, %h1, %f2",
    "sub.rz.sat.f32.f16 %f0, %h1, %f2",
    "fma.rn.f32.f16 %f0, %h1, %h2, %f3",
    "add.rn.ftz.sat.f16 %h0, %h1, %h2",
    "sub.f16x2 %r0, %r1, %r2",
    "mul.bf16 %h0, %h1, %h2",
    "mul.ftz.f16x2 %r0, %r1, %r2",
    "fma.rn.ftz.relu.f16 %h0, %h1, %h2, %h3",
    "fma.rn.sat.f16x2 %r0, %r1, %r2, %r3",
    "fma.rn.relu.bf16x2 %r0, %r1, %r2, %r3",
    "div.approx.ftz.f32 %f0, %f1, %f2",
    "div.full.f32 %f0, %f1, %f2",
    "div.rp.ftz.f32 %f0, %f1, %f2",
    "div.rz.f64 %d0, %d1, %d2",
    "rcp.approx.ftz.f32 %f0, %f1",
    "rcp.rm.f64 %d0, %d1",
    "rcp.approx.ftz.f64 %d0, %d1",
    "sqrt.approx.f32 %f0, %f1",
    "sqrt.rz.ftz.f32 %f0, %f1",
    "sqrt.rn.f64 %d0, %d1",
    "rsqrt.approx.ftz.f32 %f0, %f1",
    "rsqrt.approx.f64 %d0, %d1",
    "rsqrt.approx.ftz.f64 %d0, %d1",
    "sin.approx.ftz.f32 %f0, %f1",
    "cos.approx.f32 %f0, %f1",
    "lg2.approx.ftz.f32 %f0, %f1",
    "ex2.approx.f32 %f0, %f1",
    "ex2.approx.f16 %h0, %h1",
    "ex2.approx.ftz.bf16x2 %r0, %r1",
    "tanh.approx.f32 %f0, %f1",
    "tanh.approx.bf16x2 %r0, %r1",
    "neg.ftz.f32 %f0, %f1",
    "neg.ftz.f16x2 %r0, %r1",
    "neg.bf16 %h0, %h1",
    "abs.f64 %d0, %d1",
    "abs.bf16x2 %r0, %r1",
    "min.ftz.NaN.xorsign.abs.f32 %f0, %f1, %f2",
    "max.f64 %d0, %d1, %d2",
    "min.NaN.abs.f32 %f0, %f1, %f2, %f3",
    "max.ftz.NaN.xorsign.abs.f16x2 %r0, %r1, %r2",
    "max.NaN.bf16 %h0, %h1, %h2",
    "copysign.f32 %f0, %f1, %f2",
    "copysign.f64 %d0, %d1, %d2",
    "testp.subnormal.f32 %p0, %f1",
    "testp.notanumber.f64 %p0, %d1",
    // Comparisons.
    "setp.lt.s16 %p0, %h1, %h2",
    "setp.ne.b64 %p0, %q1, %q2",
    "setp.hs.u32 %p0, %r1, %r2",
    "setp.geu.ftz.f32 %p0, %f1, %f2",
    "setp.num.f64 %p0|%p1, %d1, %d2",
    "setp.lt.and.s32 %p0|%p1, %r1, %r2, !%p2",
    "setp.gt.ftz.f16 %p0, %h1, %h2",
    "setp.equ.xor.f16x2 %p0|%p1, %r1, %r2, %p2",
    "setp.neu.bf16 %p0, %h1, %h2",
    "setp.lt.bf16x2 %p0|%p1, %r1, %r2",
    "set.lt.u32.s32 %r0, %r1, %r2",
    "set.ge.or.ftz.f32.f32 %f0, %f1, %f2, %p1",
    "set.lt.f16.f16 %h0, %h1, %h2",
    "set.lt.u32.f16 %r0, %h1, %h2",
    "set.lt.bf16x2.bf16x2 %r0, %r1, %r2",
    "set.gt.s16.bf16 %h0, %h1, %h2",
    "selp.b16 %h0, %h1, %h2, %p1",
    "selp.f64 %d0, %d1, %d2, %p1",
    "slct.ftz.b64.f32 %q0, %q1, %q2, %f3",
    "slct.u16.s32 %h0, %h1, %h2, %r3",
    // Moves.
    "mov.b32 %r0, {%h1, %h2}",
    "mov.b64 {%r0, _}, %q1",
    "mov.b64 %q0, {%h0, %h1, %h2, %h3}",
    "mov.b128 %x0, {%q1, %q2}",
    "mov.b128 {%q0, %q1}, %x1",
    "mov.pred %p0, %p1",
    "mov.f64 %d0, 0d3FF0000000000000",
    // Conversions.
    "cvt.u32.u8 %r0, %h1",
    "cvt.s8.s32 %r0, %r1",
    "cvt.sat.u8.s64 %r0, %q1",
    "cvt.u64.s16 %q0, %h1",
    "cvt.rni.s32.f32 %r0, %f1",
    "cvt.rzi.ftz.u64.f32 %q0, %f1",
    "cvt.rmi.s16.f64 %h0, %d1",
    "cvt.rpi.u32.f16 %r0, %h1",
    "cvt.rzi.s32.bf16 %r0, %h1",
    "cvt.rn.f32.u64 %f0, %q1",
    "cvt.rz.f64.s64 %d0, %q1",
    "cvt.rp.sat.f32.s32 %f0, %r1",
    "cvt.rn.f16.u16 %h0, %h1",
    "cvt.rn.bf16.s32 %h0, %r1",
    "cvt.rn.ftz.f32.f64 %f0, %d1",
    "cvt.ftz.f64.f32 %d0, %f1",
    "cvt.rpi.f32.f32 %f0, %f1",
    "cvt.sat.f32.f32 %f0, %f1",
    "cvt.f32.f16 %f0, %h1",
    "cvt.f32.bf16 %f0, %h1",
    "cvt.rz.f16.f32 %h0, %f1",
    "cvt.rn.relu.f16.f32 %h0, %f1",
    "cvt.rn.satfinite.bf16.f32 %h0, %f1",
    "cvt.rn.f16.f64 %h0, %d1",
    "cvt.rni.f16.f16 %h0, %h1",
    "cvt.rn.bf16.f16 %h0, %h1",
    "cvt.rn.relu.f16x2.f32 %r0, %f1, %f2",
    "cvt.rz.satfinite.bf16x2.f32 %r0, %f1, %f2",
    "cvt.rn.satfinite.relu.e4m3x2.f32 %h0, %f1, %f2",
    "cvt.rn.satfinite.e5m2x2.f16x2 %h0, %r1",
    "cvt.rn.relu.f16x2.e4m3x2 %r0, %h1",
    "cvt.rn.f16x2.e5m2x2 %r0, %h1",
    "cvt.rna.tf32.f32 %r0, %f1",
    "cvt.rna.satfinite.tf32.f32 %r0, %f1",
    "cvt.rz.relu.tf32.f32 %r0, %f1",
    "cvt.pack.sat.u16.s32 %r0, %r1, %r2",
    "cvt.pack.sat.s8.s32.b32 %r0, %r1, %r2, %r3",
    // Matrices. NOLINTNEXTLINE(bugprone-suspicious-missing-comma): the form is long
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, "
    "{%r4,%r5}, {%f0,%f1,%f2,%f3}",
    "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r0,%r1}, {%r2,%r3}, {%r4}, {%r5,%r6}",
    "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1}, {%r4}, "
    "{%f0,%f1,%f2,%f3}",
    "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1}, {%r4}, "
    "{%f0,%f1,%f2,%f3}",
    "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d0,%d1}, {%d2}, {%d3}, {%d4,%d5}",
    "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%d0,%d1,%d2,%d3}, "
    "{%d0,%d1,%d2,%d3,%d4,%d5,%d6,%d7}, {%d0,%d1,%d2,%d3}, {%d4,%d5,%d6,%d7}",
    "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32 {%r0,%r1,%r2,%r3}, "
    "{%r0,%r1,%r2,%r3}, {%r4,%r5}, {%r0,%r1,%r2,%r3}",
    "mma.sync.aligned.m8n8k16.row.col.s32.u8.u8.s32 {%r0,%r1}, {%r2}, {%r3}, {%r4,%r5}",
    "mma.sync.aligned.m16n8k64.row.col.s32.s4.u4.s32 {%r0,%r1,%r2,%r3}, {%r0,%r1,%r2,%r3}, "
    "{%r4,%r5}, {%r0,%r1,%r2,%r3}",
    "mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32 {%r0,%r1}, {%r2}, {%r3}, {%r4,%r5}",
    "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, [%r0], "
    "16",
    "wmma.load.b.sync.aligned.col.m8n32k16.global.bf16 {%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, [%q0]",
    "wmma.load.c.sync.aligned.row.m16n16k8.f32 {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7}, [%q0], %r8",
    "wmma.load.a.sync.aligned.row.m8n8k4.f64 {%d0}, [%q0]",
    "wmma.store.d.sync.aligned.col.m32n8k16.global.s32 [%q0], {%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}",
    "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f16 {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7}, "
    "{%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, {%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, {%r0,%r1,%r2,%r3}",
    "wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.s8.s32.satfinite "
    "{%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, {%r0,%r1}, {%r2,%r3}, {%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}",
    "wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64 {%d0,%d1}, {%d2}, {%d3}, {%d4,%d5}",
    "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {%f0,%f1,%f2,%f3}, "
    "{%r0,%r1,%r2,%r3}, {%r4,%r5}, {%f0,%f1,%f2,%f3}",
};

std::string module_of(const std::string& statements) {
  return R"(.visible .entry k() {
.reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %q<9>; .reg .b128 %x<9>;
.reg .f32 %f<9>; .reg .f64 %d<9>;
)" + statements +
         "ret;\n}\n";
}

TEST(Forms, TheExecutorTakesEach) {
  Memory memory(1 << 20);
  for (const std::string_view form : kForms) {
    const auto module = load_text(module_of(std::string(form) + ";\n"), memory);
    ASSERT_TRUE(module) << to_string(module.error());
    const auto kernel = (*module)->kernel("k");
    EXPECT_TRUE(kernel) << to_string(kernel.error());
  }
}

TEST(Forms, PtxasTakesEach) {
  const std::string ptxas = toolkit::find_tool("ptxas");
  if (ptxas.empty()) GTEST_SKIP() << "no ptxas here";
  std::string statements;
  for (const std::string_view form : kForms) statements.append(form).append(";\n");
  const toolkit::TemporaryFolder folder;
  std::ofstream(folder / "forms.ptx") << ".version 8.8\n.target sm_100a\n.address_size 64\n"
                                      << module_of(statements);
  const auto outcome = toolkit::run(
      {ptxas, "-arch=sm_100a", "-O0", "-o", folder / "forms.cubin", folder / "forms.ptx"});
  EXPECT_EQ(outcome.status, 0) << outcome.output;
}

}  // namespace
}  // namespace egpu::emu
