import { type SaxesTagNS, SaxesParser } from 'saxes';
import { malformed, type FilePosition, bankFileError } from './bank-file-error.ts';
import { type Element, elementsAt } from './element.ts';
import { type Chunks, decodeXml } from './encoding.ts';
import { type MessageShape, type MessageShapes, noMessage, shapeOfMessage } from './message-shapes.ts';

/** Headers of one name: more than a statement has balances, which are types times currencies. */
const maxHeaders = 200;

/** Elements of one entry: 10,000 transactions of 60 elements. One takes about 120 bytes, so that is 70 MB at most. */
const maxEntryElements = 600_000;

/** Characters of text in one entry: 10,000 transactions of 1,600 characters. */
const maxEntryCharacters = 16_000_000;

const splitIt = 'Ask the bank to split it, or to send its transactions as separate entries.';

/** What a file consists of, in its order. Each element is whole. `MessageShape` says which elements these are. */
export type FilePart = Headers &
  (
    | { kind: 'message' | 'message-end' }
    | { kind: 'message-header' | 'section-header' | 'entry'; element: Element }
    | { kind: 'section-end'; position: FilePosition }
  );

/** Where a part stands. */
interface Headers {
  /** Such as `camt.053`. */
  message: string;
  /** The headers of the message and of its section before and with this part, each as the children of one element. */
  messageHeaders: Element;
  sectionHeaders: Element;
}

/**
 * The parts of the messages of these shapes in a file, as it streams in. Holds one part in memory at a time. Throws a
 * `StopError` with a `BankFileErrorCode` when the file cannot be imported, after the parts before the fault.
 */
export async function* readParts(chunks: Chunks, shapes: MessageShapes): AsyncGenerator<FilePart> {
  const parts: FilePart[] = [];
  const parser = createMessageParser(shapes, (part) => parts.push(part));
  for await (const piece of decodeXml(chunks)) {
    try {
      parser.write(piece);
    } finally {
      yield* parts.splice(0);
    }
  }
  parser.end();
}

/** The message that is being read: its shape, its namespace, the depth of its root element, its sections so far, and the headers. */
interface OpenMessage {
  shape: MessageShape;
  namespace: string;
  depth: number;
  sections: number;
  headers: Headers;
}

const noHeaders: Element = { name: '', text: '', children: [], line: 0 };

function createMessageParser(shapes: MessageShapes, emit: (part: FilePart) => void) {
  const parser = createBoundedParser({ onOpen, onText, onClose });
  const { position } = parser;
  let root = '';
  let message: OpenMessage | undefined;
  let isInSection = false;
  let isEmpty = true;
  /**
   * The open elements of the part that is being read. Those of a foreign namespace (supplementary data) and all below them are
   * `undefined` and left out, as they could be mistaken for the message's own.
   */
  const path: (Element | undefined)[] = [];
  let elements = 0;
  let characters = 0;

  function onOpen(tag: SaxesTagNS, depth: number): void {
    root ||= tag.name;
    if (path.length > 0) addElement(tag);
    else if (message === undefined) openMessage(tag, depth);
    else if (depth === message.depth + 1) openMessageChild(tag, message);
    else if (isInSection && depth === message.depth + 2) openSectionChild(tag, message);
  }

  function openMessage({ local, uri }: SaxesTagNS, depth: number): void {
    const shape = shapeOfMessage(local, uri, position(), shapes);
    if (shape === undefined) return;
    const headers = { message: shape.message, messageHeaders: noHeaders, sectionHeaders: noHeaders };
    message = { shape, namespace: uri, depth, sections: 0, headers };
    isEmpty = false;
    emit({ ...headers, kind: 'message' });
  }

  function openMessageChild(tag: SaxesTagNS, { shape, namespace }: OpenMessage): void {
    if (tag.uri === namespace && tag.local === shape.section) isInSection = true;
    else if (tag.uri === namespace && shape.messageHeaders.has(tag.local)) beginPart(tag);
    else if (tag.local !== 'SplmtryData') throw unknownElement(tag.name, position());
  }

  function openSectionChild(tag: SaxesTagNS, { shape, namespace }: OpenMessage): void {
    if (tag.uri === namespace && (tag.local === shape.entry || shape.sectionHeaders.has(tag.local))) beginPart(tag);
    else if (shape.ignored?.has(tag.local) === false) throw unknownElement(tag.name, position());
  }

  function beginPart(tag: SaxesTagNS): void {
    elements = 0;
    characters = 0;
    addElement(tag);
  }

  function addElement({ local: name, uri, attributes }: SaxesTagNS): void {
    const parent = path.at(-1);
    const isBelowForeign = path.length > 0 && parent === undefined;
    if (isBelowForeign || uri !== message?.namespace) return void path.push(undefined);
    if (++elements > maxEntryElements) throw malformed(`One entry has more than ${maxEntryElements} elements`, splitIt, position());
    const element: Element = { name, text: '', children: [], line: position().line };
    const currency = attributes['Ccy']?.value;
    if (currency !== undefined) element.currency = currency;
    path.push(element);
    if (parent === undefined) return;
    parent.text = '';
    parent.children.push(element);
  }

  function onText(text: string): void {
    const element = path.at(-1);
    if (element === undefined) return;
    characters += text.length;
    if (characters > maxEntryCharacters)
      throw malformed(`One entry has more than ${maxEntryCharacters} characters of text`, splitIt, position());
    // The messages have no mixed content: text beside elements is white space.
    if (element.children.length === 0) element.text += text;
  }

  function onClose(depth: number): void {
    if (message === undefined) return;
    const element = path.pop();
    if (path.length > 0) return;
    if (element !== undefined) closePart(element, message);
    else if (isInSection && depth === message.depth + 1) closeSection(message);
    else if (depth === message.depth) closeMessage(message);
  }

  function closePart(element: Element, { shape, headers }: OpenMessage): void {
    if (isInSection && element.name === shape.entry) return emit({ ...headers, kind: 'entry', element });
    const of = isInSection ? 'sectionHeaders' : 'messageHeaders';
    headers[of] = withHeader(headers[of], element);
    emit({ ...headers, kind: isInSection ? 'section-header' : 'message-header', element });
  }

  function closeSection(open: OpenMessage): void {
    isInSection = false;
    open.sections += 1;
    emit({ ...open.headers, kind: 'section-end', position: position() });
    open.headers.sectionHeaders = noHeaders;
  }

  function closeMessage({ shape, sections, headers }: OpenMessage): void {
    if (shape.isSectionRequired && sections === 0) throw truncated(`the message holds no <${shape.section}>`, position());
    emit({ ...headers, kind: 'message-end' });
    message = undefined;
  }

  return {
    write: (piece: string): void => parser.write(piece),
    end(): void {
      parser.end();
      if (isEmpty) throw noMessage(root, shapes);
    },
  };
}

/** Headers with one more: of one that is repeated without bound, only the first are kept. */
function withHeader(headers: Element, element: Element): Element {
  const isKept = elementsAt(headers, element.name).length < maxHeaders;
  return isKept ? { ...headers, children: [...headers.children, element] } : headers;
}

function unknownElement(name: string, position: FilePosition): Error {
  const remedy = 'It may hold entries in an unknown form: ask the bank for a file that follows the schema.';
  return malformed(`The standard has no <${name}> here`, remedy, position);
}

// Bounds on memory, here and in `message-parts.ts`, are far above what banks send: only a damaged or hostile file exceeds one.

/** Elements nested in each other. The schema of camt.053.001.08 nests 15 deep; envelopes add a few. */
const maxDepth = 64;

/** Attributes of one element. In the messages no element has more than one; envelopes declare a handful of namespaces. */
const maxAttributes = 64;

/**
 * Characters between two XML events, that is in one text, comment, tag or declaration. The longest text of an entry is a
 * proxy of 2,048 characters; comments, and the base64 of a signature in an envelope, can be longer.
 */
const maxTokenCharacters = 128 * 1024;

/** What is done with the events of a file. The root element has depth 1. */
interface XmlHandlers {
  onOpen: (tag: SaxesTagNS, depth: number) => void;
  /** Text outside and inside CDATA; one text may come in parts. */
  onText: (text: string) => void;
  onClose: (depth: number) => void;
}

/**
 * Parses XML of unknown origin within bounds, piece by piece. Throws `statement_malformed` for text that is not
 * well-formed or too large, and for a DOCTYPE, which could define entities that expand without bound; `statement_truncated` at the end
 * while an element is still open.
 */
export function createBoundedParser({ onOpen, onText, onClose }: XmlHandlers) {
  const parser = new SaxesParser({ xmlns: true });
  const position = (): FilePosition => ({ line: parser.line, column: Math.max(parser.column, 1) });
  let isEnding = false;
  let depth = 0;
  let attributes = 0;
  let lastEventPosition = 0;

  function noteEvent(): void {
    lastEventPosition = parser.position;
  }

  function handleText(text: string): void {
    noteEvent();
    onText(text);
  }

  parser.on('error', (error) => {
    const problem = error.message.replace(/^(?:.*?:)?\d+:\d+: /, '').replace(/\.$/, '');
    if (isEnding) throw truncated(problem, position());
    throw malformed(`The file is not well-formed XML: ${problem}`, 'Send the file as the bank delivered it.', position());
  });
  parser.on('doctype', () => {
    const remedy = 'Bank files have none, and it can hide entity bombs: send the file as the bank delivered it.';
    throw malformed('The file has a DOCTYPE declaration', remedy, position());
  });
  parser.on('attribute', () => {
    noteEvent();
    if (++attributes > maxAttributes) throw tooLarge(`An element has more than ${maxAttributes} attributes`, position());
  });
  parser.on('comment', noteEvent);
  parser.on('text', handleText);
  parser.on('cdata', handleText);
  parser.on('opentag', (tag) => {
    noteEvent();
    attributes = 0;
    if (++depth > maxDepth) throw tooLarge(`Elements are nested more than ${maxDepth} deep`, position());
    onOpen(tag, depth);
  });
  parser.on('closetag', () => {
    noteEvent();
    onClose(depth);
    depth -= 1;
  });

  return {
    position,
    write(piece: string): void {
      parser.write(piece);
      if (parser.position - lastEventPosition > maxTokenCharacters)
        throw tooLarge(`A text, comment, tag or gap is longer than ${maxTokenCharacters} characters`, position());
    },
    end(): void {
      isEnding = true;
      parser.close();
    },
  };
}

/** The error of a file that ends too early. */
export function truncated(problem: string, position: FilePosition): Error {
  const remedy = 'Fetch the whole file from the bank again.';
  return bankFileError('statement_truncated', `The file is empty or cut off: ${problem}`, remedy, position);
}

function tooLarge(problem: string, position: FilePosition): Error {
  return malformed(problem, 'No bank file needs that: send the file as the bank delivered it.', position);
}
