/** An element to write. */
export interface Node {
  name: string;
  attributes?: Record<string, string>;
  /** Text, or children. */
  content: string | Node[];
}

/** An element with a text, or with children; children that are `undefined` are left out. */
export function node(name: string, ...content: [string] | (Node | undefined)[]): Node {
  const [first] = content;
  if (typeof first === 'string') return { name, content: first };
  return { name, content: (content as (Node | undefined)[]).filter((child) => child !== undefined) };
}

/** An XML document with this root element, indented for human readers. */
export function renderXml(root: Node): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${render(root, '')}`;
}

function render({ name, attributes = {}, content }: Node, indent: string): string {
  const opening = [name, ...Object.entries(attributes).map(([key, value]) => `${key}="${escapeXml(value)}"`)].join(' ');
  if (typeof content === 'string') return `${indent}<${opening}>${escapeXml(content)}</${name}>\n`;
  return `${indent}<${opening}>\n${content.map((child) => render(child, `${indent}  `)).join('')}${indent}</${name}>\n`;
}

function escapeXml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}
