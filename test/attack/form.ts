/** A POST of a form, as browsers and clients of OAuth send it. */
export function form(body: URLSearchParams) {
  return { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: body.toString() };
}
