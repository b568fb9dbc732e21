/** Lets this process load its dependencies from a bundle: see bundled-dependencies.mjs. */
export function useBundledDependencies(): void;
/** Which file of the bundle a process loads for which specifier; undefined without a bundle of what is installed. */
export function bundledFiles(): Record<string, string> | undefined;
