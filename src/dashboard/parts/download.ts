// Offers a text, or the parts of one, as a file to download.

/** @param type the media type */
export function download(name: string, type: string, text: string | Blob): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
