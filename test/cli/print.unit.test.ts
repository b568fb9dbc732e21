import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { renderJson, renderTable } from '../../src/cli/output.ts';
import { print } from '../../src/cli/print.ts';
import { printable } from '../../src/platform/printable.ts';
import { renderError } from '../../src/cli/render-error.ts';
import { StopError } from '../../src/platform/errors.ts';

/** A name that clears the screen, changes the window's title, begins a line of its own and turns round what follows. */
const hostile = 'Jane\u001b[2J\u009b31m\u001b]0;title\u0007\r\nstate  approved\u202e\u2028\u2066';
const harmless = String.raw`Jane\u001b[2J\u009b31m\u001b]0;title\u0007\u000d\u000astate  approved\u202e\u2028\u2066`;

describe('what others wrote', () => {
  it('is printed with everything written out that a terminal would obey', () => {
    expect(printable(hostile)).toBe(harmless);
    expect(printable('Jón Þór 🎉 שלום')).toBe('Jón Þór 🎉 שלום');
    expect(printable('Jane\u200b\u00ad\u{e0041}')).toBe(String.raw`Jane\u200b\u00ad\udb40\udc41`);
  });

  it('is one cell of one row in a table', () => {
    const table = renderTable(['name', 'state'], [[hostile, 'incomplete']]);
    expect(table.split('\n')).toHaveLength(2);
    expect(table).toContain(harmless);
  });

  it('is the same value in JSON', () => {
    const json = renderJson({ name: hostile });
    expect(json).not.toMatch(/[\u0080-\u009f\u202e\u2066]/);
    expect(JSON.parse(json)).toEqual({ name: hostile });
  });

  it('is harmless in a line and in an error', () => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {});
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    print(`name  ${printable(hostile)}\nstate incomplete`);
    renderError(new StopError({ code: 'unexpected', message: `There is no ${hostile}` }), []);
    expect(log.mock.calls).toEqual([[`name  ${harmless}\nstate incomplete`]]);
    // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
    expect(write.mock.calls.join('')).not.toMatch(/[\u001b\u009b\u202e]/);
    vi.restoreAllMocks();
  });

  it('has no other way to the terminal', () => {
    const direct = globSync(['src/cli/**/*.ts', 'sandbox/**/*.ts']).filter((file) =>
      /\bconsole\.(log|info|warn|error|debug)\b|std(out|err)\.write\(/.test(readFileSync(file, 'utf8')),
    );
    // The sandbox's terminal shows its own steps, and its children's lines by `print`.
    expect(direct.toSorted()).toEqual(['sandbox/terminal.ts', 'src/cli/print.ts']);
  });
});
