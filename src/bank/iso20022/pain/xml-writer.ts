/** What an element holds. Of several elements of a name there is a list; what is undefined is left out. */
type Content = string | Amount | Elements | readonly Elements[] | readonly string[] | undefined;

/** Elements by their names. */
export interface Elements {
  [name: string]: Content;
}

/** The content of an element with the attribute `Ccy`. */
type Amount = { text: string; currency: string };

/** A message of ISO 20022, indented for human readers. */
export function renderMessage(namespace: string, content: Elements): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="${namespace}">\n${renderAll(content, '  ')}</Document>\n`;
}

function renderAll(elements: Elements, indent: string): string {
  const each = Object.entries(elements).flatMap(([name, content]) => [content].flat().map((item) => render(name, item, indent)));
  return each.join('');
}

function render(name: string, content: string | Amount | Elements | undefined, indent: string): string {
  if (content === undefined) return '';
  if (typeof content === 'string') return `${indent}<${name}>${escapeXml(content)}</${name}>\n`;
  if (isAmount(content)) return `${indent}<${name} Ccy="${content.currency}">${content.text}</${name}>\n`;
  return `${indent}<${name}>\n${renderAll(content, `${indent}  `)}${indent}</${name}>\n`;
}

/** Names of elements begin with a capital. */
function isAmount(content: Amount | Elements): content is Amount {
  return 'currency' in content;
}

function escapeXml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}
