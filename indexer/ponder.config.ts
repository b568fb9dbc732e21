// Ponder runs every file below its root as an indexing function, so its root is this folder and not the project's.
export { default } from '../ponder.config.ts';
