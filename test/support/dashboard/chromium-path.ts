// The path of the system's Chromium. Nothing is downloaded.
import { existsSync } from 'node:fs'

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** Path of the executable; undefined when Chromium is not installed. */
export const chromiumPath = places.find((place) => existsSync(place))

/** The reason for skipping a test without Chromium. */
export const noChromium = `there is no Chromium at ${places.join(', ')}: install Debian's package "chromium"`
