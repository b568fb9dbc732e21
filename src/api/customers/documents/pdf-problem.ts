/** Why a content does not open as a PDF (ISO 32000) with a page; `undefined` when it does. */
export async function pdfProblem(content: Buffer): Promise<string | undefined> {
  const { getDocumentProxy } = await import('unpdf');
  try {
    const document = await getDocumentProxy(new Uint8Array(content), { useSystemFonts: false });
    await document.getPage(1);
    return undefined;
  } catch (error) {
    return (error as Error).name === 'PasswordException' ? 'must be a PDF without a password' : 'must be a PDF that opens';
  }
}
