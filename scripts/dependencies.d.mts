/** Installs the dependencies unless they are, and bundles them: see dependencies.mjs. */
export function ensureDependencies(): Promise<void>;
