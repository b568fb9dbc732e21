/** An element to be written: its name, attributes if any, and either text or children. */
export interface Node {
  name: string;
  attributes?: Record<string, string>;
  content: string | Node[];
}

export function node(name: string, ...content: [string] | (Node | undefined)[]): Node {
  const [first] = content;
  if (typeof first === 'string') return { name, content: first };
  return { name, content: (content as (Node | undefined)[]).filter((child) => child !== undefined) };
}

/** The document as text, indented for whoever has to read it. */
export function renderXml(root: Node): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${render(root, '')}`;
}

function render({ name, attributes = {}, content }: Node, indent: string): string {
  const opening = [name, ...Object.entries(attributes).map(([key, value]) => `${key}="${escaped(value)}"`)].join(' ');
  if (typeof content === 'string') return `${indent}<${opening}>${escaped(content)}</${name}>\n`;
  return `${indent}<${opening}>\n${content.map((child) => render(child, `${indent}  `)).join('')}${indent}</${name}>\n`;
}

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}
