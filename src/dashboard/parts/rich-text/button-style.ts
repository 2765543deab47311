// The look of a button in an email: a link with inline styles, which all mail clients render.

/** Indigo, with enough contrast to white (WCAG 2.2, 1.4.3). */
export const BUTTON_BACKGROUND = '#3b5bdb'

const COLOR = /^#[0-9a-f]{6}$/i

export const isColor = (text: string): boolean => COLOR.test(text)

/** Returns the relative luminance of a color, from 0 to 1, as WCAG 2.2 defines it. */
function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** Returns black or white, whichever has more contrast to the background. */
export const textColorOn = (background: string): string => (luminanceOf(background) > 0.179 ? '#000000' : '#ffffff')

/** Returns the style of a button. `backgroundIn` reads no other. */
export const buttonStyle = (background: string): string =>
  `display: inline-block; padding: 12px 20px; border-radius: 6px; background-color: ${background}; ` +
  `color: ${textColorOn(background)}; font-weight: bold; text-decoration: none`

/** Returns the background of a button from its style. Undefined if the style is not that of a button. */
export function backgroundIn(style: string): string | undefined {
  const background = /background-color: (#[0-9a-f]{6});/i.exec(style)?.[1]
  return background !== undefined && style === buttonStyle(background) ? background : undefined
}
