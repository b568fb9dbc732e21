import { SaxesParser, type SaxesTagNS } from 'saxes';
import { bankFileError, malformed, type FilePosition } from './bank-file-error.ts';

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
