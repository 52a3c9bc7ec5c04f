/**
 * Patterns that the check finds super-linear, or cannot decide on, as they are written, and why they may
 * stay.
 */
export const exceptions: Record<string, string> = {
  '/\\/+$/': 'Of addresses and folders: at most 2,048 characters of a request, or of the operator.',
  [String.raw`/build-backend\s*=\s*["'](setuptools\.build_meta|hatchling\.build|poetry\.core\.masonry\.api|flit_core\.buildapi|pdm\.backend|uv_build)["']/`]:
    'Undecided. It begins with a word; the spaces behind it hold no such word.',
  [String.raw`/^[^\S\n]*(-r|-c|-e|--requirement|--constraint|--editable|\.{1,2}\/|file:)|@[^\S\n]*file:/m`]:
    'Undecided. The spaces at the start of a line, or behind one @, hold neither a line nor an @.',
  [String.raw`/couldn't find key (\S+) in Secret (?:\S+\/)?(\S+)/i`]:
    'Undecided. Each part ends at a space, so none goes past the next beginning.',
  'new RegExp(`^(${IMAGE_NAME})(?::${TAG})?(?:@(?:${DIGEST}))?$`)':
    'Undecided. The growth of names of images is measured in growth.test.ts.',
  [String.raw`new RegExp(${'`'}"\\$(${'$'}{Object.values(secretFields).join('|')})"${'`'}, 'g')`]:
    'Of words of the console.',
  'new RegExp(`^${PREFIX}[0-9A-Za-z]{${SECRET_DIGITS + CHECKSUM_DIGITS}}$`)': 'Of one length.',
  "new RegExp(fallback.onOutput, 'i')":
    'Of plans: two patterns of lib/builds that begin with a word; a line has at most 16 KiB.',
  [String.raw`new RegExp(${'`'}^${'$'}{name}-([^-]+)\\.dist-info$${'`'})`]:
    'Of names of files that we installed.',
  'new RegExp(`^${escaped}/?$`)': 'Of the routes: parts of a path between slashes.',
  [String.raw`new RegExp(${'`'}${'$'}{BEGINNING}${'$'}{RegExp.escape(form)}(?![\\w-])${'`'}, 'g')`]:
    'Of folders of this machine. What is looked for before one ends at the colour that ends there.',
  "new RegExp(old, 'gm')": 'Of what we write into the scripts of an environment, at most some kilobytes.',
  [String.raw`new RegExp(${'`'}(?<=\\s)${'$'}{MARKER_VARIABLE}=\\S+${'`'}, 'g')`]:
    'Begins with a name behind a space and ends at one.',
};
