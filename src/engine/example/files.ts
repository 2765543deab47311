// The files of example triggers.

/** Returns a PDF with one line of text, in base64. */
export function examplePdf(text: string): string {
  const page = `BT /F1 18 Tf 72 760 Td (${text.replaceAll(/[()\\]/g, '')}) Tj ET`
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>',
    `<</Length ${page.length}>>stream\n${page}\nendstream`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
  ]
  let pdf = '%PDF-1.4\n'
  const places = objects.map((object, index) => {
    const place = pdf.length
    pdf += `${index + 1} 0 obj${object}endobj\n`
    return `${String(place).padStart(10, '0')} 00000 n \n`
  })
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join('')}`
  const end = `trailer<</Size ${objects.length + 1}/Root 1 0 R>>\nstartxref\n${pdf.length}\n%%EOF\n`
  return Buffer.from(pdf + table + end).toString('base64')
}
