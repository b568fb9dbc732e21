import { SaxesParser, type SaxesTagNS } from 'saxes';
import { bankFileError, malformed, type FilePosition } from './bank-file-error.ts';
import { maxAttributes, maxDepth, maxTokenCharacters, pieceCharacters } from './limits.ts';

/** What is done with the events of a file. The root element has depth 1. */
export interface XmlHandlers {
  onOpen: (tag: SaxesTagNS, depth: number) => void;
  /** Text outside and inside CDATA; one text may come in parts. */
  onText: (text: string) => void;
  onClose: (depth: number) => void;
}

/** A namespace-aware parser that is fed piece by piece. */
export interface BoundedParser {
  /** Parses a piece of at most `pieceCharacters`; its events have been handled on return. */
  write: (piece: string) => void;
  /** Ends the file. Throws `statement_truncated` when an element is still open. */
  end: () => void;
  position: () => FilePosition;
}

/**
 * Parses XML of unknown origin within the bounds of `limits.ts`. Throws `statement_malformed` for text that is not
 * well-formed or too large, and for a DOCTYPE, which could define entities that expand without bound.
 */
export function createBoundedParser({ onOpen, onText, onClose }: XmlHandlers): BoundedParser {
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
    write(piece) {
      parser.write(piece);
      if (parser.position - lastEventPosition > maxTokenCharacters)
        throw tooLarge(`A text, comment, tag or gap is longer than ${maxTokenCharacters} characters`, position());
    },
    end() {
      isEnding = true;
      parser.close();
    },
  };
}

/** The pieces in which a text is handed to the parser. */
export function* piecesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; start += pieceCharacters) yield text.slice(start, start + pieceCharacters);
}

/** The error of a file that ends too early. */
export function truncated(problem: string, position: FilePosition): Error {
  return bankFileError(
    'statement_truncated',
    `The file is empty or cut off: ${problem}`,
    'Fetch the whole file from the bank again.',
    position,
  );
}

function tooLarge(problem: string, position: FilePosition): Error {
  return malformed(problem, 'No bank file needs that: send the file as the bank delivered it.', position);
}
