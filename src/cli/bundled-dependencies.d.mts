/** Lets this process load its dependencies from a bundle: see bundled-dependencies.mjs. */
export function useBundledDependencies(): void;
/** The bundle's table of which file a process loads for which specifier. */
export const filesOfBundle: URL;
