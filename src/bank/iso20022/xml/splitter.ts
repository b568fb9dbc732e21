import { SaxesParser } from 'saxes';
import type { SaxesTagNS } from 'saxes';
import type { Element } from './element.ts';
import { createElementBuilder } from './element-builder.ts';
import { messageShape, noMessage } from './message-shapes.ts';
import type { MessageShape, MessageShapes } from './message-shapes.ts';
import { refusal } from './bank-file-error.ts';
import type { Place } from './bank-file-error.ts';
import { maxAttributes, maxDepth, maxTokenLength, pieceLength } from './limits.ts';

/** What a file is made of, in its order. Elements are whole, and nothing before them is kept. */
export type FilePart =
  | { kind: 'message'; message: string }
  | { kind: 'group'; header: Element }
  | { kind: 'statement-begin'; place: Place }
  | { kind: 'header'; element: Element }
  | { kind: 'entry'; element: Element }
  | { kind: 'statement-end'; place: Place };

/** Splits the text of a file, handed over in pieces, into the parts of the messages of these shapes. */
export function createSplitter(emit: (part: FilePart) => void, shapes: MessageShapes) {
  const parser = new SaxesParser({ xmlns: true });
  const place = (): Place => ({ line: parser.line, column: Math.max(parser.column, 1) });
  const builder = createElementBuilder(place);
  let ending = false;
  let depth = 0;
  let lastEvent = 0;
  let attributes = 0;
  let root: string | undefined;
  let message: { shape: MessageShape; uri: string; depth: number; statements: number } | undefined;
  let messages = 0;
  let inStatement = false;

  parser.on('error', (error) => {
    const what = error.message.replace(/^(?:.*?:)?\d+:\d+: /, '').replace(/\.$/, '');
    if (ending) throw truncated(what, place());
    throw refusal('statement_malformed', `The file is not well-formed XML: ${what}`, 'Send the file as the bank delivered it.', place());
  });
  parser.on('doctype', () => {
    const remedy = 'No bank statement has one, and it can hide entity bombs: send the file as the bank delivered it.';
    throw refusal('statement_doctype', 'The file has a DOCTYPE declaration', remedy, place());
  });
  parser.on('attribute', () => {
    lastEvent = parser.position;
    if (++attributes > maxAttributes) throw tooLarge(`An element has more than ${maxAttributes} attributes`, place());
  });
  parser.on('text', onText);
  parser.on('cdata', onText);
  parser.on('comment', () => (lastEvent = parser.position));
  parser.on('opentag', onOpen);
  parser.on('closetag', onClose);

  function onText(text: string): void {
    lastEvent = parser.position;
    builder.text(text);
  }

  function onOpen(tag: SaxesTagNS): void {
    lastEvent = parser.position;
    attributes = 0;
    if (++depth > maxDepth) throw tooLarge(`Elements are nested more than ${maxDepth} deep`, place());
    root ??= tag.name;
    if (builder.building()) builder.open(tag.local, tag.uri === message?.uri, tag.attributes['Ccy']?.value);
    else if (message === undefined) findMessage(tag);
    else if (depth === message.depth + 1) openMessageChild(tag, message);
    else if (inStatement && depth === message.depth + 2) openStatementChild(tag, message);
  }

  function findMessage(tag: SaxesTagNS): void {
    const shape = messageShape(tag.local, tag.uri, place(), shapes);
    if (shape === undefined) return;
    message = { shape, uri: tag.uri, depth, statements: 0 };
    messages += 1;
    emit({ kind: 'message', message: shape.message });
  }

  function openMessageChild(tag: SaxesTagNS, { shape, uri }: { shape: MessageShape; uri: string }): void {
    if (tag.uri === uri && tag.local === shape.statement) {
      inStatement = true;
      emit({ kind: 'statement-begin', place: place() });
    } else if (tag.uri === uri && shape.groups.has(tag.local)) builder.begin(tag.local);
    else if (tag.local !== 'SplmtryData') throw unknownElement(tag.name, place());
  }

  function openStatementChild(tag: SaxesTagNS, { shape, uri }: { shape: MessageShape; uri: string }): void {
    const known = tag.uri === uri && (tag.local === shape.entry || shape.headers.has(tag.local));
    if (known) builder.begin(tag.local);
    else if (shape.others?.has(tag.local) === false) throw unknownElement(tag.name, place());
  }

  function onClose(): void {
    lastEvent = parser.position;
    const element = builder.building() ? builder.close() : undefined;
    if (element !== undefined) emitElement(element);
    else if (message !== undefined && !builder.building()) closeOuter(message);
    depth -= 1;
  }

  function emitElement(element: Element): void {
    if (inStatement && element.name === message?.shape.entry) emit({ kind: 'entry', element });
    else if (inStatement) emit({ kind: 'header', element });
    else emit({ kind: 'group', header: element });
  }

  function closeOuter(open: NonNullable<typeof message>): void {
    if (inStatement && depth === open.depth + 1) {
      inStatement = false;
      open.statements += 1;
      emit({ kind: 'statement-end', place: place() });
    } else if (depth === open.depth) {
      if (open.shape.isStatementRequired && open.statements === 0)
        throw truncated(`the message holds no <${open.shape.statement}>`, place());
      message = undefined;
    }
  }

  return {
    /** Takes a piece of at most `pieceLength` characters; what became whole in it has been emitted on return. */
    write(piece: string): void {
      parser.write(piece);
      if (parser.position - lastEvent > maxTokenLength) {
        throw tooLarge(`A text, comment, tag or gap is longer than ${maxTokenLength} characters`, place());
      }
    },
    /** The file is at its end: throws when it is not whole. */
    end(): void {
      ending = true;
      parser.close();
      if (messages === 0) throw noMessage(root ?? '', shapes);
    },
  };
}

/** The pieces in which a text is handed to the splitter. */
export function* pieces(text: string): Generator<string> {
  for (let start = 0; start < text.length; start += pieceLength) yield text.slice(start, start + pieceLength);
}

function truncated(what: string, place: Place): Error {
  return refusal('statement_truncated', `The file is empty or cut off: ${what}`, 'Fetch the whole file from the bank again.', place);
}

function tooLarge(what: string, place: Place): Error {
  return refusal('statement_too_large', what, 'No bank statement needs that: send the file as the bank delivered it.', place);
}

function unknownElement(name: string, place: Place): Error {
  const remedy = 'It may hold entries in a form that is not read yet: ask the bank for a file that follows the schema.';
  return refusal('statement_unknown_element', `The standard has no <${name}> here`, remedy, place);
}
