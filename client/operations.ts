import type { components, paths } from './openapi.ts';

/** The schemas of the OpenAPI document by name, such as `Schemas['Order']`. */
export type Schemas = components['schemas'];

/** An order, as the API renders it. */
export type Order = Schemas['Order'];

/** A chain on which orders can be placed. */
export type Chain = Schemas['OrderRequest']['chain'];

/** An HTTP method that the API has. */
export type Method = 'get' | 'post' | 'patch' | 'delete';

/** Statuses that a call returns; every other is thrown as an error. */
type AnswerStatus = 200 | 201 | 202 | 204 | 304;

type OperationsOf<M extends Method> = {
  [Path in keyof paths as paths[Path] extends Record<M, { responses: unknown }> ? Path : never]: paths[Path] extends Record<
    M,
    infer Operation
  >
    ? Operation
    : never;
};

type TakesJson<Operation> = Operation extends { requestBody: { content: infer Content } }
  ? Content extends { 'application/json': unknown }
    ? true
    : false
  : true;

type AnswersJson<Operation> = Operation extends { responses: infer Responses }
  ? Responses[keyof Responses & AnswerStatus] extends infer Response
    ? Response extends { content: { 'application/json': unknown } }
      ? true
      : never
    : never
  : never;

/** The paths that take and answer JSON under a method: not those of forms, files and event streams. */
export type PathsOf<M extends Method> = {
  [Path in keyof OperationsOf<M>]: TakesJson<OperationsOf<M>[Path]> extends true
    ? [AnswersJson<OperationsOf<M>[Path]>] extends [never]
      ? never
      : Path
    : never;
}[keyof OperationsOf<M>];

type OperationAt<M extends Method, Path> = Path extends keyof OperationsOf<M> ? OperationsOf<M>[Path] : never;

type PathOption<Operation> = Operation extends { parameters: { path: infer Parameters extends object } }
  ? { path: Parameters }
  : { path?: never };

/** A field of a query that is `undefined` is left out. */
type Omittable<Fields> = { [Field in keyof Fields]: object extends Pick<Fields, Field> ? Fields[Field] | undefined : Fields[Field] };

type QueryOption<Operation> = Operation extends { parameters: { query: infer Parameters extends object } }
  ? { query: Omittable<Parameters> }
  : Operation extends { parameters: { query?: infer Parameters } }
    ? [NonNullable<Parameters>] extends [never]
      ? { query?: never }
      : { query?: Omittable<NonNullable<Parameters>> | undefined }
    : { query?: never };

type BodyOption<Operation> = Operation extends { requestBody: { content: { 'application/json': infer Body } } }
  ? { body: Body }
  : Operation extends { requestBody?: infer Optional }
    ? NonNullable<Optional> extends { content: { 'application/json': infer Body } }
      ? [Body] extends [never]
        ? { body?: never }
        : { body?: Body }
      : { body?: never }
    : { body?: never };

/** Options of every call. */
export interface CallOptions {
  /** Sent as `Idempotency-Key`: requests under the same key are carried out once. With it a POST is repeated like a GET. */
  idempotencyKey?: string | undefined;
  headers?: Record<string, string> | undefined;
  /** Ends the call, which then throws the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** Options of a call of one operation. */
export type OptionsOf<M extends Method, Path> = PathOption<OperationAt<M, Path>> &
  QueryOption<OperationAt<M, Path>> &
  BodyOption<OperationAt<M, Path>> &
  CallOptions;

/** The options argument, optional where nothing in it is required. */
export type OptionsArgument<Options> = Partial<Options> extends Options ? [options?: Options] : [options: Options];

/** An answer whose status tells the type of its body; `304` has none. */
export type AnswerOf<M extends Method, Path> =
  OperationAt<M, Path> extends { responses: infer Responses }
    ? {
        [Status in keyof Responses & AnswerStatus]: {
          status: Status;
          headers: Headers;
          body: Responses[Status] extends { content: { 'application/json': infer Body } } ? Body : undefined;
        };
      }[keyof Responses & AnswerStatus]
    : never;

/** The body of an answer. Where several are possible, their fields tell them apart. */
export type BodyOf<M extends Method, Path> = AnswerOf<M, Path>['body'];

type ItemOf<Body> = { [Field in keyof Body]-?: Body[Field] extends (infer Item)[] ? Item : never }[keyof Body];

/** The lists that are read page by page. */
export type PagedPaths = {
  [Path in PathsOf<'get'>]: OptionsOf<'get', Path> extends { query?: infer Query }
    ? 'after' extends keyof NonNullable<Query>
      ? Path
      : never
    : never;
}[PathsOf<'get'>];

/** One item of a list that is read page by page. */
export type PagedItem<Path extends PagedPaths> = ItemOf<BodyOf<'get', Path>>;
