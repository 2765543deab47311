// An HTML email in a frame without scripts, forms or working links. Nothing is loaded from other hosts.
import { Text } from '@mantine/core'
import { useMemo } from 'react'
import { nonce } from './nonce.ts'

interface EmailDocument {
  readonly html: string
  readonly hasPictures: boolean
}

type ColorScheme = 'light' | 'dark'

/** Replaces what depends on the color scheme of the browser. Every width is at least 0. */
const underScheme = (css: string, scheme: ColorScheme): string =>
  css
    .replaceAll(/\(\s*prefers-color-scheme\s*:\s*(light|dark)\s*\)/gi, (_query, asked: string) =>
      asked.toLowerCase() === scheme ? '(min-width: 0)' : '(max-width: -1px)',
    )
    .replaceAll(/(?<![\w-])color-scheme\s*:\s*(?:light\s+dark|dark\s+light)/gi, `color-scheme: ${scheme}`)

/**
 * Shows an email as a client with this color scheme does, whatever that of the browser is. An email that names the color
 * schemes that it supports keeps to them.
 */
function applyScheme(email: Document, scheme: ColorScheme): void {
  for (const style of email.querySelectorAll('style')) style.textContent = underScheme(style.textContent, scheme)
  for (const element of email.querySelectorAll('[media]'))
    element.setAttribute('media', underScheme(element.getAttribute('media') ?? '', scheme))
  const named = email.querySelector('meta[name="color-scheme" i]')
  const own = named?.getAttribute('content') ?? ''
  if (named !== null && !own.toLowerCase().includes(scheme)) return
  const meta = named ?? email.createElement('meta')
  meta.setAttribute('name', 'color-scheme')
  meta.setAttribute('content', scheme)
  if (named === null) email.head.prepend(meta)
}

const POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'"

/** Returns the document of the frame. Its styles carry the nonce, because the frame inherits the policy of the page. */
function documentOf(html: string, scheme: ColorScheme): EmailDocument {
  const email = new DOMParser().parseFromString(html, 'text/html')
  // Stricter than the policy of the page, which the frame inherits: not even this gateway is asked for anything.
  for (const refresh of email.querySelectorAll('meta[http-equiv], base, link')) refresh.remove()
  applyScheme(email, scheme)
  const policy = email.createElement('meta')
  policy.setAttribute('http-equiv', 'Content-Security-Policy')
  policy.setAttribute('content', POLICY)
  email.head.prepend(policy)
  for (const style of email.querySelectorAll('style')) style.setAttribute('nonce', nonce ?? '')
  // The sandbox does not allow new tabs, so that a click has no effect. Otherwise the link would replace the email with
  // an error page.
  for (const link of email.querySelectorAll('a, area')) link.setAttribute('target', '_blank')
  // Parsing drops the doctype. Without it, the browser would show the email in quirks mode.
  const doctype = email.doctype === null ? '' : '<!doctype html>'
  return {
    html: doctype + email.documentElement.outerHTML,
    hasPictures: email.querySelector('img[src^="http" i]') !== null,
  }
}

interface HtmlFrameProps {
  readonly html: string
  readonly title: string
  /** True to show it as a mail client in dark mode does. Default: false. */
  readonly isDark?: boolean
}

export function HtmlFrame({ html, title, isDark = false }: HtmlFrameProps) {
  const scheme = isDark ? 'dark' : 'light'
  const email = useMemo(() => documentOf(html, scheme), [html, scheme])
  return (
    <>
      <iframe
        sandbox=""
        srcDoc={email.html}
        title={title}
        tabIndex={0}
        // Without colors of its own, an email has those of its client.
        style={{
          ...{ width: '100%', height: 320, border: 0, colorScheme: scheme },
          background: isDark ? '#121212' : '#fff',
        }}
      />
      {isDark && (
        <Text size="xs" c="dimmed">
          As in a mail client with a dark background: the rules of the email for dark mode apply, and what has no color
          of its own is light on dark. Some clients change further colors.
        </Text>
      )}
      {email.hasPictures && (
        <Text size="xs" c="dimmed">
          Images from other hosts are not loaded here.
        </Text>
      )}
    </>
  )
}
