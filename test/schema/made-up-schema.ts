import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { fingerprintOf, type SchemaFiles } from '../../src/schema/schema-files.ts';

/** A version of a schema: the text of its files in their order, and its migrations. */
export interface MadeUpVersion {
  files: Readonly<Record<string, string>>;
  migrations?: Readonly<Record<string, string>>;
}

/** Folders of versions of a schema that exist for a test alone. */
export function createMadeUpSchemas() {
  const folders: string[] = [];
  return {
    /** Writes the files of a version. */
    write({ files, migrations }: MadeUpVersion): SchemaFiles {
      const folder = mkdtempSync(path.join(tmpdir(), 'mintrail-schema-'));
      folders.push(folder);
      const write = (name: string, text: string) => writeFileSync(path.join(folder, `${name}.sql`), text);
      for (const [name, text] of Object.entries(files)) write(name, text);
      if (migrations) mkdirSync(path.join(folder, 'migrations'));
      for (const [name, text] of Object.entries(migrations ?? {})) write(`migrations/${name}`, text);
      return { folder: pathToFileURL(`${folder}/`), names: Object.keys(files) };
    },
    /** The text of a migration that changes a version. */
    from: (version: SchemaFiles, text: string) => `-- from: ${fingerprintOf(version)}\n${text}`,
    close: () => {
      for (const folder of folders) rmSync(folder, { recursive: true });
    },
  };
}
