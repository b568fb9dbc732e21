/** A request before it is written to a socket: as much of it as a mutation can spoil. */
export interface HttpMessage {
  method: string;
  path: string;
  query: [string, string][];
  headers: [string, string][];
  body: MessageBody;
  /** What is wrong with the bytes themselves. */
  wire: 'intact' | 'cut-off' | 'length-too-long' | 'length-too-short' | 'chunked' | 'bad-chunk';
}

/** The body of a request, by how it is encoded. */
export type MessageBody =
  | { kind: 'none' }
  | { kind: 'json'; value: unknown }
  | { kind: 'form'; fields: [string, string][] }
  | { kind: 'multipart'; parts: [name: string, value: string, fileName?: string][] }
  | { kind: 'bytes'; bytes: Buffer };

const boundary = 'fuzz-boundary';

/** The bytes of a request to a host, in the form of HTTP/1.1. */
export function encodeMessage(message: HttpMessage, host: string): Buffer {
  const body = encodeBody(message.body);
  const headers: [string, string][] = [...message.headers];
  const has = (name: string) => headers.some(([known]) => known.toLowerCase() === name);
  if (!has('host')) headers.unshift(['Host', host]);
  const type = contentType(message.body);
  if (type !== undefined && !has('content-type')) headers.push(['Content-Type', type]);
  headers.push(['Connection', 'close'], ...framing(message, body.length));
  const lines = [`${message.method} ${targetOf(message)} HTTP/1.1`, ...headers.map(([name, value]) => `${name}: ${value}`)];
  // As latin1 a control character stays one byte, and what is no latin1 is sent as the UTF-8 that a careless client sends.
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'utf8');
  return Buffer.concat([head, ...written(message.wire, body)]);
}

/** The path of a request, with its query. */
export function targetOf({ path, query }: Pick<HttpMessage, 'path' | 'query'>): string {
  const text = query.map(([name, value]) => `${encodeText(name)}=${encodeText(value)}`).join('&');
  return text === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${text}`;
}

/** Percent-encodes a text; a lone surrogate as the bytes that it would have. */
export function encodeText(text: string): string {
  return text.isWellFormed() ? encodeURIComponent(text) : '%ED%A0%80';
}

function framing({ wire, body }: HttpMessage, length: number): [string, string][] {
  if (wire === 'chunked' || wire === 'bad-chunk') return [['Transfer-Encoding', 'chunked']];
  if (wire === 'length-too-long' || wire === 'cut-off') return [['Content-Length', String(length + 10)]];
  if (wire === 'length-too-short') return [['Content-Length', String(Math.max(0, length - 3))]];
  return body.kind === 'none' ? [] : [['Content-Length', String(length)]];
}

function written(wire: HttpMessage['wire'], body: Buffer): Buffer[] {
  if (wire === 'cut-off') return [body.subarray(0, Math.floor(body.length / 2))];
  if (wire === 'bad-chunk') return [Buffer.from('zz\r\n'), body];
  if (wire === 'chunked')
    return [
      ...(body.length === 0 ? [] : [Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n')]),
      Buffer.from('0\r\n\r\n'),
    ];
  return [body];
}

function contentType(body: MessageBody): string | undefined {
  const types = { none: undefined, bytes: undefined, json: 'application/json', form: 'application/x-www-form-urlencoded' };
  return body.kind === 'multipart' ? `multipart/form-data; boundary=${boundary}` : types[body.kind];
}

function encodeBody(body: MessageBody): Buffer {
  if (body.kind === 'none') return Buffer.alloc(0);
  if (body.kind === 'bytes') return body.bytes;
  if (body.kind === 'json') return Buffer.from(JSON.stringify(body.value) ?? '');
  if (body.kind === 'form') return Buffer.from(new URLSearchParams(body.fields).toString());
  const parts = body.parts.map(([name, value, fileName]) => {
    const file = fileName === undefined ? '' : `; filename="${fileName}"\r\nContent-Type: application/octet-stream`;
    return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${value}\r\n`;
  });
  return Buffer.from(`${parts.join('')}--${boundary}--\r\n`, 'latin1');
}

/** A command for a shell that sends the bytes of a request again. `curl` cannot write every one of them, so those go through `nc`. */
export function asCommand(message: HttpMessage, host: string): string {
  const name = host.split(':')[0] ?? '';
  const port = host.split(':')[1] ?? '';
  if (message.wire !== 'intact') return `echo ${encodeMessage(message, host).toString('base64')} | base64 -d | nc ${name} ${port}`;
  const type = contentType(message.body);
  const hasType = message.headers.some(([header]) => header.toLowerCase() === 'content-type');
  const headers: [string, string][] = [
    ...message.headers,
    ...(type === undefined || hasType ? [] : ([['Content-Type', type]] as [string, string][])),
  ];
  const flags = headers.map(([header, value]) => `-H ${quoted(`${header}: ${value}`)}`).join(' ');
  const call = `curl -i --path-as-is -X ${quoted(message.method)} ${flags} ${quoted(`http://${host}${targetOf(message)}`)}`;
  const body = encodeBody(message.body);
  return body.length === 0 ? call : `echo ${body.toString('base64')} | base64 -d | ${call} --data-binary @-`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
