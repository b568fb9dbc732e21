/** What stands up to an empty line in a stream of server-sent events; without `data` it is no event, but may move the cursor. */
export interface StreamBlock {
  id?: string;
  event?: string;
  data?: string;
  /** Milliseconds to wait before reconnecting. */
  retry?: number;
}

/** Reads a stream of server-sent events (HTML Standard, section 9.2.6): returns the blocks that a further piece of its text completes. */
export function createStreamParser(): (text: string) => StreamBlock[] {
  let rest = '';
  let block: StreamBlock = {};
  return (text) => {
    // A carriage return at the end may be the first half of the end of a line.
    const lines = (rest + text).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    const complete: StreamBlock[] = [];
    for (const line of lines) {
      if (line !== '') {
        addField(block, line);
        continue;
      }
      complete.push(block);
      block = {};
    }
    return complete;
  };
}

function addField(block: StreamBlock, line: string): void {
  const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
  if (name === 'data') block.data = block.data === undefined ? value : `${block.data}\n${value}`;
  else if (name === 'event' && value !== '') block.event = value;
  else if (name === 'id' && !value.includes('\0')) block.id = value;
  else if (name === 'retry' && /^\d+$/.test(value)) block.retry = Number(value);
}
