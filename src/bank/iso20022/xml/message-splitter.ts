import type { SaxesTagNS } from 'saxes';
import { malformed, type FilePosition } from './bank-file-error.ts';
import { type BoundedParser, createBoundedParser, piecesOf, truncated } from './bounded-parser.ts';
import type { Element } from './element.ts';
import { createElementBuilder } from './element-builder.ts';
import { decodeXml } from './encoding.ts';
import { type MessageShape, type MessageShapes, noMessage, shapeOfMessage } from './message-shapes.ts';

/** What a file consists of, in its order. Each element is whole. `MessageShape` says which elements these are. */
export type FilePart =
  | { kind: 'message'; message: string }
  | { kind: 'message-header'; element: Element }
  | { kind: 'section-begin'; position: FilePosition }
  | { kind: 'section-header'; element: Element }
  | { kind: 'entry'; element: Element }
  | { kind: 'section-end'; position: FilePosition };

/**
 * The parts of the messages of these shapes in a file, as it streams in: bytes in any encoding, or text. Holds one part
 * in memory at a time. Throws a `StopError` with a `BankFileErrorCode` when the file cannot be imported, possibly after
 * parts.
 */
export async function* readParts(chunks: AsyncIterable<Uint8Array | string>, shapes: MessageShapes): AsyncGenerator<FilePart> {
  const parts: FilePart[] = [];
  const splitter = createMessageSplitter((part) => parts.push(part), shapes);
  for await (const text of decodeXml(chunks)) {
    for (const piece of piecesOf(text)) {
      splitter.write(piece);
      yield* parts.splice(0);
    }
  }
  splitter.end();
  yield* parts.splice(0);
}

/** The message being read: its shape, its namespace, the depth of its root element, and its sections so far. */
interface OpenMessage {
  shape: MessageShape;
  namespace: string;
  depth: number;
  sections: number;
}

/** Splits the text of a file, written piece by piece, and emits each part when it is whole. */
export function createMessageSplitter(emit: (part: FilePart) => void, shapes: MessageShapes): Pick<BoundedParser, 'write' | 'end'> {
  const parser = createBoundedParser({ onOpen, onText: (text) => builder.text(text), onClose });
  const builder = createElementBuilder(parser.position);
  let root: string | undefined;
  let message: OpenMessage | undefined;
  let messages = 0;
  let isInSection = false;

  function onOpen(tag: SaxesTagNS, depth: number): void {
    root ??= tag.name;
    if (builder.isBuilding()) builder.open(tag.local, tag.uri !== message?.namespace, tag.attributes['Ccy']?.value);
    else if (message === undefined) openMessage(tag, depth);
    else if (depth === message.depth + 1) openMessageChild(tag, message);
    else if (isInSection && depth === message.depth + 2) openSectionChild(tag, message);
  }

  function openMessage(tag: SaxesTagNS, depth: number): void {
    const shape = shapeOfMessage(tag.local, tag.uri, parser.position(), shapes);
    if (shape === undefined) return;
    message = { shape, namespace: tag.uri, depth, sections: 0 };
    messages += 1;
    emit({ kind: 'message', message: shape.message });
  }

  function openMessageChild(tag: SaxesTagNS, { shape, namespace }: OpenMessage): void {
    if (tag.uri === namespace && tag.local === shape.section) {
      isInSection = true;
      emit({ kind: 'section-begin', position: parser.position() });
    } else if (tag.uri === namespace && shape.messageHeaders.has(tag.local)) builder.begin(tag.local);
    else if (tag.local !== 'SplmtryData') throw unknownElement(tag.name, parser.position());
  }

  function openSectionChild(tag: SaxesTagNS, { shape, namespace }: OpenMessage): void {
    const isRead = tag.uri === namespace && (tag.local === shape.entry || shape.sectionHeaders.has(tag.local));
    if (isRead) builder.begin(tag.local);
    else if (shape.ignored?.has(tag.local) === false) throw unknownElement(tag.name, parser.position());
  }

  function onClose(depth: number): void {
    const element = builder.isBuilding() ? builder.close() : undefined;
    if (element !== undefined) emitElement(element);
    else if (message !== undefined && !builder.isBuilding()) closeOuter(message, depth);
  }

  function emitElement(element: Element): void {
    if (!isInSection) emit({ kind: 'message-header', element });
    else emit({ kind: element.name === message?.shape.entry ? 'entry' : 'section-header', element });
  }

  function closeOuter(open: OpenMessage, depth: number): void {
    if (isInSection && depth === open.depth + 1) {
      isInSection = false;
      open.sections += 1;
      emit({ kind: 'section-end', position: parser.position() });
    } else if (depth === open.depth) {
      if (open.shape.isSectionRequired && open.sections === 0)
        throw truncated(`the message holds no <${open.shape.section}>`, parser.position());
      message = undefined;
    }
  }

  return {
    write: (piece) => parser.write(piece),
    end() {
      parser.end();
      if (messages === 0) throw noMessage(root ?? '', shapes);
    },
  };
}

function unknownElement(name: string, position: FilePosition): Error {
  const remedy = 'It may hold entries in an unknown form: ask the bank for a file that follows the schema.';
  return malformed(`The standard has no <${name}> here`, remedy, position);
}
