// Where plain text stands: in a code span, a fenced block, a quotation. There, markup is only talked about. Owns the
// reading of Markdown and of quotation marks as far as that needs, one character at a time.

/** Signs that the context takes notice of, below 128: line feed, carriage return, quotes, `>`, backslash, backtick, tilde. */
const NOTICED = new Uint8Array(128);
for (const sign of "\n\r\"'>\\`~") NOTICED[sign.charCodeAt(0)] = 1;

const QUOTES: Readonly<Record<string, string>> = {
  "\u201c": "\u201d",
  "\u201e": "\u201c",
  "\u2018": "\u2019",
  "\u00ab": "\u00bb",
  "\u300c": "\u300d",
  "\u300e": "\u300f",
};

/**
 * The state of a text up to a position.
 *
 * A fence opens at the beginning of a line and ends with a line of as many signs; a code span ends with a run of as many
 * backticks, or with the paragraph; a quotation ends with its mark, or with the line. A line that begins with `>` is
 * quoted.
 */
export class TextContext {
  #before = 0x0a;
  /** Only white space on this line so far. */
  #atStart = true;
  /** The line began with `>`. */
  #quotedLine = false;
  #quote = "";
  /** A straight mark that opens a quotation if no white space follows it. */
  #mayOpen = "";
  /** A straight single mark that ends a quotation if no letter follows it. */
  #mayClose = false;
  /** Backticks or tildes that stand in a row right now. */
  #run = 0;
  #runSign = 0;
  #runAtStart = false;
  /** Backticks that opened a code span. */
  #span = 0;
  /** Signs that opened a fenced block, and which. */
  #fence = 0;
  #fenceSign = 0;
  /** The line so far is one that ends the fence. */
  #closesFence = false;

  /** Forgets quotations and spans: what came before is over. */
  reset(): void {
    this.#before = 0x0a;
    this.#atStart = true;
    this.#quotedLine = false;
    this.#quote = "";
    this.#mayOpen = "";
    this.#mayClose = false;
    this.#run = 0;
    this.#span = 0;
    this.#fence = 0;
    this.#closesFence = false;
  }

  /** Whether markup that begins with this character would be markup, and not be quoted or code. */
  isPlain(unit: number): boolean {
    if (this.#run > 0 && unit !== this.#runSign) this.#endRun(unit);
    if (this.#mayOpen !== "" || this.#mayClose) this.#decideQuote(unit);
    return this.#fence === 0 && this.#span === 0 && this.#quote === "" && !this.#quotedLine;
  }

  /** Takes the next characters of the text. */
  take(text: string): void {
    for (let at = 0; at < text.length; at++) this.#unit(text.charCodeAt(at));
  }

  /** Takes the next character. */
  #unit(unit: number): void {
    if (this.#run > 0 && unit !== this.#runSign) this.#endRun(unit);
    if (this.#mayOpen !== "" || this.#mayClose) this.#decideQuote(unit);
    if (this.#closesFence && !isBlank(unit)) this.#closesFence = false;
    if (unit < 128 ? NOTICED[unit] === 1 : unit >= 0xab) this.#noticed(unit);
    if (this.#atStart && unit !== 0x20 && unit !== 0x09 && unit !== 0x0a && unit !== 0x0d) this.#atStart = false;
    if (unit !== 0x0d) this.#before = unit;
  }

  #noticed(unit: number): void {
    if (unit === 0x0a) return this.#endLine();
    if (unit === 0x60 || unit === 0x7e) {
      if (this.#run === 0) {
        this.#runSign = unit;
        this.#runAtStart = this.#atStart;
      }
      this.#run++;
    } else if (unit === 0x3e) {
      if (this.#atStart && this.#fence === 0) this.#quotedLine = true;
    } else if (this.#fence === 0 && this.#span === 0) this.#quotation(unit);
  }

  #endLine(): void {
    if (this.#closesFence) this.#fence = 0;
    if (this.#atStart) this.#span = 0;
    this.#closesFence = false;
    this.#quotedLine = false;
    this.#quote = "";
    this.#atStart = true;
  }

  /** A run of backticks or tildes is over; `unit` stands behind it. */
  #endRun(unit: number): void {
    const length = this.#run;
    this.#run = 0;
    if (this.#fence > 0) {
      this.#closesFence =
        this.#runAtStart && length >= this.#fence && this.#runSign === this.#fenceSign && isBlank(unit);
    } else if (length >= 3 && this.#runAtStart && this.#span === 0) {
      this.#fence = length;
      this.#fenceSign = this.#runSign;
    } else if (this.#runSign === 0x60) {
      if (this.#span === 0) this.#span = length;
      else if (this.#span === length) this.#span = 0;
    }
  }

  #quotation(unit: number): void {
    const sign = String.fromCharCode(unit);
    if (this.#quote !== "") {
      if (sign !== this.#quote || this.#before === 0x5c) return;
      // An apostrophe inside a quotation in single marks does not end it.
      if (unit === 0x27 || unit === 0x2019) this.#mayClose = true;
      else this.#quote = "";
    } else if (unit === 0x22 || unit === 0x27) {
      if (opensAfter(this.#before)) this.#mayOpen = sign;
    } else this.#quote = QUOTES[sign] ?? "";
  }

  #decideQuote(unit: number): void {
    if (this.#mayOpen !== "" && !isBlank(unit)) this.#quote = this.#mayOpen;
    if (this.#mayClose && !isWord(unit)) this.#quote = "";
    this.#mayOpen = "";
    this.#mayClose = false;
  }
}

/** Whether a straight mark behind this character opens a quotation: no word, no closing bracket, no full stop. */
function opensAfter(unit: number): boolean {
  return !isWord(unit) && !".,!?)]}\"'\\".includes(String.fromCharCode(unit));
}

/** Letters of alphabets that put spaces between words, and digits. */
function isWord(unit: number): boolean {
  if (unit >= 0x80) return unit >= 0xc0 && unit < 0x590;
  return (unit >= 0x30 && unit <= 0x39) || ((unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x7a);
}

function isBlank(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09;
}
