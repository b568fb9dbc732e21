import { parseArgs } from 'node:util';

export function commandOptions(usage, names) {
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
  try {
    const { help, ...values } = parseArgs({ options: { ...options, help: { type: 'boolean', short: 'h' } } }).values;
    if (help !== true) return values;
    console.log(usage);
    process.exit(0);
  } catch (error) {
    console.error(`${error.message}\n${usage}`);
    process.exit(2);
  }
}
