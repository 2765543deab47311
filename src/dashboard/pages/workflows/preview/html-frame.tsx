// An HTML email in a frame without scripts, forms or links that open. Pictures of other hosts are not loaded.
import { useMemo } from 'react'
import { nonce } from '../../../nonce.ts'

/** Returns the document of the frame. Its styles carry the nonce, because the frame inherits the policy of the page. */
function documentOf(html: string): string {
  const email = new DOMParser().parseFromString(html, 'text/html')
  for (const style of email.querySelectorAll('style')) style.setAttribute('nonce', nonce ?? '')
  return email.documentElement.outerHTML
}

export function HtmlFrame({ html, title }: { readonly html: string; readonly title: string }) {
  const content = useMemo(() => documentOf(html), [html])
  return (
    <iframe
      sandbox=""
      srcDoc={content}
      title={title}
      tabIndex={0}
      // Emails are made for a white page.
      style={{ width: '100%', height: 320, border: 0, background: '#fff', colorScheme: 'light' }}
    />
  )
}
