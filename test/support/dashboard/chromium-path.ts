// The path of the system's Chromium. Nothing is downloaded.
import { existsSync } from 'node:fs'

// The shell is the same engine without the interface of a desktop browser: stories take a quarter less time.
const places = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

/** Path of the executable; undefined when Chromium is not installed. */
export const chromiumPath = places.find((place) => existsSync(place))

/** The reason for skipping a test without Chromium. */
export const noChromium = `there is no Chromium at ${places.join(', ')}: install Debian's package "chromium-headless-shell"`
