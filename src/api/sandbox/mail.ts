import { createRoute, z } from '@hono/zod-openapi';
import { type CaughtMail, findCaughtMail, listCaughtMails } from '../../platform/caught-mail.ts';
import type { AddRoutes } from '../api.ts';
import { notFound } from '../http/errors.ts';
import { errorResponses, json, listSchema, openAccess } from '../http/responses.ts';
import { requireSameMachine } from '../http/same-machine.ts';
import * as input from '../../wire/input-fields.ts';
import * as output from '../../wire/output-fields.ts';

/** The most mails in the answer. */
const mostListed = 100;

const headerSchema = z.object({
  id: output.uuid.openapi({ description: 'Id of the mail.' }),
  recipient: z.string().openapi({ description: 'Email address that it was sent to.' }),
  subject: z.string().openapi({ description: 'Subject of the mail.' }),
  sentAt: output.time.openapi({ description: 'When it was sent.' }),
});

const mailSchema = headerSchema
  .extend({ text: z.string().openapi({ description: 'Plain text of the mail.' }) })
  .openapi('SandboxMail', { description: 'A mail that the sandbox caught instead of sending it.' });

const shared = { method: 'get' as const, ...openAccess('Sandbox') };

const listRoute = {
  ...shared,
  path: '/sandbox/mail',
  operationId: 'listSandboxMails',
  summary: 'List the mails that the sandbox caught',
  description: `The newest ${mostListed} first, without their texts. Needs no token, and answers callers on the same machine only, by a name such as localhost.`,
  responses: {
    200: json(listSchema('mails', headerSchema, 'How many mails there are.'), 'The mails.'),
    ...errorResponses(403, 406),
  },
} as const;

const mailRoute = {
  ...shared,
  path: '/sandbox/mail/{id}',
  operationId: 'readSandboxMail',
  summary: 'Read a mail that the sandbox caught',
  description: 'With its text, in which a code may be. Needs no token, and answers callers on the same machine only.',
  request: { params: z.object({ id: input.uuid.openapi({ description: 'Id of the mail.' }) }) },
  responses: { 200: json(mailSchema, 'The mail.'), ...errorResponses(403, 404, 406) },
} as const;

/** `GET /sandbox/mail` and `GET /sandbox/mail/{id}`: what a sandbox without a mail server would have sent (docs/api.md, Sandbox endpoints). */
export const addSandboxMail: AddRoutes = (api, { settings }, guards) => {
  if (settings.environment !== 'sandbox') return;
  api.openapi(createRoute({ ...listRoute, middleware: guards.anyone }), async (context) => {
    requireSameMachine(context);
    const mails = await listCaughtMails(settings);
    return context.json({ mails: mails.slice(0, mostListed).map(headerOf), total: mails.length }, 200);
  });
  api.openapi(createRoute({ ...mailRoute, middleware: guards.anyone }), async (context) => {
    requireSameMachine(context);
    const mail = await findCaughtMail(settings, context.req.valid('param').id);
    if (!mail) throw notFound('There is no such mail');
    return context.json({ ...headerOf(mail), text: mail.text }, 200);
  });
};

function headerOf({ id, recipient, subject, sentAt }: CaughtMail) {
  return { id, recipient, subject, sentAt };
}
