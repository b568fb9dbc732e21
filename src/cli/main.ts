import { useBundledDependencies } from './bundled-dependencies.mjs';

useBundledDependencies();
const { runProgram } = await import('./run-program.ts');
await runProgram();
