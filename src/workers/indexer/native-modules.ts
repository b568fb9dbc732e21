// In the place of Vite and its parts, with which Ponder loads the files below its root: Node runs TypeScript as it is. It has no setting for that.
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';

/** What Ponder asks of Vite: its modules `ponder:registry`, `ponder:schema` and `ponder:api` are those of a plugin. */
interface Asked {
  root: string;
  plugins: readonly { load?: (id: string) => string | null }[];
}

const virtual = /^ponder:\w+$/;

/** Serves Ponder's own modules, as files of its root that nobody sees. */
export function createServer({ root, plugins }: Asked): Promise<object> {
  const folder = pathToFileURL(`${root}/`).href;
  registerHooks({
    resolve: (specifier, context, next) =>
      virtual.test(specifier) ? { url: `${folder}${specifier}`, format: 'module', shortCircuit: true } : next(specifier, context),
    load(url, context, next) {
      const id = url.startsWith(folder) ? url.slice(folder.length) : '';
      if (!virtual.test(id)) return next(url, context);
      const source = plugins.map((plugin) => plugin.load?.(id)).find((text) => text != null) ?? '';
      return { format: 'module', source, shortCircuit: true };
    },
  });
  return Promise.resolve({ config: { root }, pluginContainer: { buildStart() {} }, close: () => Promise.resolve() });
}

/** Runs files, each once. */
export class ViteNodeRunner {
  executeFile(file: string): Promise<unknown> {
    return import(pathToFileURL(file).href);
  }
  executeId(id: string): Promise<unknown> {
    return import(id);
  }
}

/** What would transform them is asked for nothing. */
export { ViteNodeRunner as ViteNodeServer };

/** The files have their own lines. */
export function installSourcemapsSupport(): void {}

/** Only `ponder dev` asks for it, when a file has changed, and for the next one. */
export function normalizeModuleId(): void {}

/** See above. */
export function toFilePath(): void {}

/** The plugin that would read `tsconfig.json`. */
export default function tsconfigPaths(): object {
  return {};
}
