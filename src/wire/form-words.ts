import { z } from '@hono/zod-openapi';

/** How a form asks people for a field of a schema. What kind of answer it takes, and whether it may be left out, the schema says. */
export interface FormWords {
  /** A noun, or a question that ends with `?`. */
  label: string;
  hint?: string;
  /** The words for its values; or countries by their names: all, or those from which customers are served. */
  options?: Readonly<Record<string, string>> | 'countries' | 'countries of nationality' | 'countries of residency';
  type?: 'date' | 'tel' | 'email';
  /** By which a browser knows it as something of its user, where it asks the user about themselves (HTML, section 4.10.18.7). */
  autocomplete?: string;
  /** Whether the answer takes several lines. */
  isLong?: true;
}

/** The words of fields, apart from what the API document says of them: that is for programmers. A form asks for no field without words. */
export const formWords = z.registry<FormWords>();
