// Colors of brands with enough contrast (WCAG 2.2, 1.4.3): any color is a valid brand, and its text must be readable.

type Rgb = readonly [red: number, green: number, blue: number]

const white: Rgb = [255, 255, 255]
const black: Rgb = [17, 19, 24]

/** The least ratio for text. */
const ENOUGH = 4.5

/** @param color as #rgb or #rrggbb. */
function rgbOf(color: string): Rgb {
  const digits = color.length === 4 ? color.replaceAll(/[0-9a-f]/gi, '$&$&') : color
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(digits.slice(at, at + 2), 16))
  return [red, green, blue]
}

const hexOf = (rgb: Rgb) => `#${rgb.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`

function luminanceOf(rgb: Rgb): number {
  const [red = 0, green = 0, blue = 0] = rgb.map((part) => {
    const share = part / 255
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrastOf(one: Rgb, other: Rgb): number {
  const [light = 0, dark = 0] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

const mixed = ([red, green, blue]: Rgb, [toRed, toGreen, toBlue]: Rgb, share: number): Rgb => [
  red + (toRed - red) * share,
  green + (toGreen - green) * share,
  blue + (toBlue - blue) * share,
]

/** Returns the color of text on a button of this color: white or nearly black. */
export function textOn(color: string): string {
  const rgb = rgbOf(color)
  return hexOf(contrastOf(rgb, white) >= contrastOf(rgb, black) ? white : black)
}

/** Returns the color, as much lighter or darker as it must be for text and controls on a background. */
export function readableOn(color: string, background: string): string {
  const [rgb, behind] = [rgbOf(color), rgbOf(background)]
  const target = luminanceOf(behind) > 0.18 ? black : white
  for (let share = 0; share < 1; share += 0.05) {
    const candidate = mixed(rgb, target, share)
    if (contrastOf(candidate, behind) >= ENOUGH) return hexOf(candidate)
  }
  return hexOf(target)
}
