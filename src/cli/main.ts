import { useBundledDependencies } from '../platform/process/bundled-dependencies.mjs';

useBundledDependencies();
const { runProgram } = await import('./run-program.ts');
await runProgram();
