// The frame of the public pages: brand, language and headers. No scripts, cookies or files of the gateway.
import { createHash } from 'node:crypto'
import { html, raw } from 'hono/html'
import type { Brand } from '../../domain/access/brand.ts'
import type { Language } from '../language/language.ts'
import { styleFor } from './style.ts'

export type Html = ReturnType<typeof html>

/** Who reads a page: with the brand of the sender, in the language of the recipient. */
export interface PageReader {
  readonly brand: Brand
  readonly language: Language
}

export interface ShownPage {
  readonly title: string
  /** True for a page with one message, which is narrow. */
  readonly isShort: boolean
  readonly content: Html
}

/** The CSP allows the one style sheet by its hash, and the logo by its origin. */
function policyFor(style: string, { logoUrl }: Brand): string {
  const hash = createHash('sha256').update(style).digest('base64')
  return [
    "default-src 'none'",
    `style-src 'sha256-${hash}'`,
    ...(logoUrl === undefined ? [] : [`img-src ${new URL(logoUrl).origin}`]),
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** The name of the sender, or its logo. */
function bannerOf({ name, logoUrl, websiteUrl }: Brand): Html {
  const shown = logoUrl === undefined ? (name ?? '') : html`<img src="${logoUrl}" alt="${name ?? ''}" />`
  const isEmpty = shown === '' || (logoUrl !== undefined && name === undefined && websiteUrl !== undefined)
  return websiteUrl === undefined || isEmpty
    ? html`${shown}`
    : html`<a href="${websiteUrl}" rel="noreferrer">${shown}</a>`
}

/** Renders a page as a response. @param headers in addition to those of every page. */
export async function renderPage(
  { brand, language: { tag, texts } }: PageReader,
  { title, isShort, content }: ShownPage,
  status: number,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const style = styleFor(brand.primaryColor)
  const document = await html`<!doctype html>
    <html lang="${tag}" dir="${texts.direction}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${brand.name === undefined ? title : `${title} · ${brand.name}`}</title>
        <style>
          ${raw(style)}
        </style>
      </head>
      <body>
        <div class="frame">
          <header>${bannerOf(brand)}</header>
          <main class="${isShort ? 'short' : 'long'}">${content}</main>
          <footer>${brand.address ?? ''}</footer>
        </div>
      </body>
    </html> `
  return new Response(document.toString(), {
    status,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Language': tag,
      'Content-Security-Policy': policyFor(style, brand),
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
      'X-Robots-Tag': 'noindex',
      Vary: 'Accept-Language',
      ...headers,
    },
  })
}

const check = raw(
  '<div class="mark"><svg width="24" height="24" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2.5" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="M5 13l4.5 4.5L19 7"/></svg></div>',
)

/** A page with one message. @param more below it. */
export const noticePage = (
  { title, text }: { readonly title: string; readonly text: string },
  more?: Html,
): ShownPage => ({
  title,
  isShort: true,
  content: html`<h1>${title}</h1>
    <p>${text}</p>
    ${more ?? ''}`,
})

/** The same for something that succeeded. */
export const successPage = (notice: { readonly title: string; readonly text: string }, more?: Html): ShownPage => {
  const { content, ...page } = noticePage(notice, more)
  return {
    ...page,
    content: html`${check}
      <div role="status">${content}</div>`,
  }
}
