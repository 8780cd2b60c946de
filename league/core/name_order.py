"""Sort keys for names: by reading, by Latin letters, or by a guessed reading."""

import unicodedata
from dataclasses import dataclass

from league.core.readings import KANA, SMALL_KANA, folded, is_kana, usual_letters
from league.core.spelling import cleaned

KEPT = 24
"""Characters of a reading used for sorting; half as many of the name."""

MAX_ORDER_LENGTH = 1 + 4 * (KEPT + 1 + KEPT + KEPT // 2)

_VOWELS = {kana: "あいうえお"["aiueo".index(latin[-1])] for kana, latin in KANA.items() if latin[-1] in "aiueo"}
_SHORTEST_FAMILY = 2
"""Shortest family name recognised at the start of a name without a space."""


@dataclass(frozen=True, slots=True)
class GuessedReading:
    """A guessed reading. `rest`: the given name, if the reading covers only the family name."""

    kana: str
    rest: str = ""


def guessed_reading(name: str) -> GuessedReading | None:
    """Guess the reading of a name in kanji by its family name; None if it is not a common one."""
    plain = cleaned(name)
    if not _has_kanji(plain):
        return None
    family, _space, given = usual_letters(plain).replace("\u3000", " ").partition(" ")
    if family not in FAMILY_NAMES:
        family, given = _beginning(family + given)
    if not family:
        return None
    if not is_kana(given):
        return GuessedReading(FAMILY_NAMES[family], given)
    return GuessedReading(f"{FAMILY_NAMES[family]} {folded(given)}".rstrip())


def _beginning(name: str) -> tuple[str, str]:
    """Split off the longest known family name; ("", "") if there is none."""
    for length in range(min(LONGEST_NAME, len(name)), _SHORTEST_FAMILY - 1, -1):
        if name[:length] in FAMILY_NAMES:
            return name[:length], name[length:]
    return "", ""


def listed_reading(name: str, kana: str, romanised: str) -> str:
    """Return the text to sort by: the reading, the name itself if in kana, a guess, or the romanised name.

    A name that no guess covers sorts with the family names that begin with the same kanji.
    """
    if kana or not (_has_kanji(name) or _is_foreign(name)):
        return kana or name
    guess = guessed_reading(name)
    if guess is not None:
        return guess.kana + guess.rest
    return romanised or FIRST_KANJI.get(usual_letters(cleaned(name))[:1], "") + name


def name_order(name: str, kana: str, romanised: str) -> str:
    """Return a sort key of hex digits, which sorts the same under every database collation.

    As in dictionaries, voiced and small kana equal plain ones unless all else is equal, and ー counts as the preceding
    vowel. Kana come before Latin letters, Latin letters before others; equal readings are sorted by name.
    """
    reading = folded(listed_reading(name, kana, romanised))
    plain = plain_kana(reading)
    parts = (plain[:KEPT], "\0", reading[:KEPT], folded(name)[: KEPT // 2])
    return _group(plain) + "".join(_in_digits(part) for part in parts)


def plain_kana(reading: str) -> str:
    """Return a folded reading without small kana, voicing marks and accents."""
    bare = (char for char in unicodedata.normalize("NFD", reading) if unicodedata.category(char) != "Mn")
    plain = ""
    for char in "".join(bare).translate(SMALL_KANA):
        plain += _VOWELS.get(plain[-1:], char) if char == "ー" else char
    return plain


def _group(plain: str) -> str:
    start = plain[:1]
    if "ぁ" <= start <= "ゖ":
        return "0"
    return "1" if start.isalpha() and start < "\u0250" else "2"


def _in_digits(text: str) -> str:
    # Characters beyond U+FFFF are rare and all sort last.
    return "".join(f"{min(ord(char), 0xFFFF):04x}" for char in text)


def _has_kanji(text: str) -> bool:
    return any(
        "\u3400" <= char <= "\u9fff" or "\uf900" <= char <= "\ufaff" or char >= "\U00020000" or char == "々"
        for char in text
    )


def _is_foreign(text: str) -> bool:
    """Return whether a name begins with neither kana nor a Latin letter."""
    return _group(plain_kana(folded(text))) == "2"


_BY_READING = """
あいかわ 相川 愛川|あいざわ 相沢|あいだ 相田 会田|あおき 青木|あおやま 青山|あおやぎ 青柳|あかぎ 赤木 赤城|あかさか 赤坂
あかまつ 赤松|あきば 秋葉|あきもと 秋元 秋本|あきやま 秋山|あさい 浅井|あさの 浅野|あさみ 浅見|あさだ 浅田|ひがし 東
あだち 足立 安達|あべ 阿部 安部 安倍|あまの 天野|あらい 新井 荒井|あらき 荒木|あらかわ 荒川|あんどう 安藤 安東
いいじま 飯島|いいだ 飯田|いいづか 飯塚|いいの 飯野|いいむら 飯村|いがらし 五十嵐|いけがみ 池上|いけだ 池田|いけの 池野
いけべ 池辺|いざわ 井沢 伊沢|いしい 石井|いしおか 石岡|いしかわ 石川|いしぐろ 石黒|いしざき 石崎
いしざか 石坂|いしざわ 石沢|いしだ 石田|いしづか 石塚|いしはら 石原|いしばし 石橋|いしまる 石丸|いしもと 石本
いしやま 石山|いしわた 石渡|いそべ 磯部|いそがい 磯貝|いとう 伊藤 伊東|いながき 稲垣|いなだ 稲田|いなば 稲葉 因幡
いのうえ 井上|いのまた 猪股 猪俣|いまい 今井|いまいずみ 今泉|いまだ 今田|いまにし 今西|いまむら 今村|いわい 岩井
いわお 岩尾|いわき 岩城 岩木|いわさき 岩崎|いわさ 岩佐|いわさわ 岩沢|いわせ 岩瀬|いわた 岩田|いわなが 岩永
いわま 岩間|いわむら 岩村|いわもと 岩本|うえき 植木|うえすぎ 上杉|うえだ 上田 植田|うえの 上野|うえはら 上原
うえまつ 植松|うえむら 植村 上村|うえやま 上山|うすい 臼井|うだがわ 宇田川|うちだ 内田|うちの 内野|うちむら 内村
うちやま 内山|うつみ 内海|うめだ 梅田|うめはら 梅原|うめむら 梅村|うめもと 梅本|うらた 浦田|うらの 浦野
えぐち 江口|えとう 江藤 衛藤|えのもと 榎本|えんどう 遠藤|おいかわ 及川|おおいし 大石|おおいずみ 大泉|おおうち 大内
おおえ 大江|おおおか 大岡|おおかわ 大川|おおき 大木|おおくぼ 大久保|おおくま 大熊|おおくら 大倉|おおさき 大崎
おおさわ 大沢|おおしま 大島|おおしろ 大城|おおた 太田 大田|おおたけ 大竹|おおたに 大谷|おおつか 大塚|おおつき 大月
おおつ 大津|おおつぼ 大坪|おおにし 大西|おおぬき 大貫|おおの 大野|おおば 大場 大庭|おおはし 大橋
おおはた 大畑|おおはら 大原|おおひら 大平|おおまえ 大前|おおもり 大森|おおや 大矢|おおやま 大山|おおわだ 大和田
おがた 緒方|おがわ 小川|おかざき 岡崎|おかじま 岡島|おかだ 岡田|おかの 岡野|おかべ 岡部|おかむら 岡村|おかもと 岡本
おかやま 岡山|おかざわ 岡沢|おぎの 荻野|おぎわら 荻原|おくだ 奥田|おくの 奥野|おくむら 奥村|おくやま 奥山|おぐら 小倉
おざき 尾崎|おさだ 長田|おざわ 小沢|おだ 小田 織田|おだぎり 小田切|おち 越智|おちあい 落合|おの 小野 尾野|おのだ 小野田
おのでら 小野寺|おばた 小畑 小幡|おばら 小原|おおかわち 大河内|かい 甲斐|かがわ 香川|かげやま 影山 景山|かさい 笠井 葛西
かさはら 笠原|かしわぎ 柏木|かじわら 梶原|かじた 梶田|かすや 粕谷|かたおか 片岡|かたぎり 片桐|かたやま 片山
かつまた 勝又 勝俣|かとう 加藤|かどた 門田|かどわき 門脇|かなざわ 金沢|かない 金井|かなもり 金森|かねこ 金子
かねだ 金田|きんじょう 金城|かのう 加納 狩野|かまた 鎌田|かみや 神谷|かみむら 神村|かみやま 神山|かめい 亀井
かめだ 亀田|かめやま 亀山|かわい 河合 川合 河井|かわかみ 川上 河上|かわぐち 川口 河口|かわさき 川崎 河崎|かわしま 川島 河島
かわせ 川瀬|かわた 川田|かわだ 河田|かわの 川野|かわなべ 川辺|かわはら 川原 河原|かわばた 川端|かわべ 河辺
かわむら 川村 河村|かわもと 川本 河本|かわにし 川西|かんざき 神崎|かんだ 神田|かんの 菅野 管野|きうち 木内|きくかわ 菊川
きくち 菊池 菊地|きしだ 岸田|きし 岸|きしもと 岸本|きたがわ 北川|きたざわ 北沢|きたの 北野|きたはら 北原|きたむら 北村
きだ 木田|きたやま 北山|きど 木戸 城戸|きのした 木下|きむら 木村|きやま 木山|きよの 清野|きよみず 清水谷|くさの 草野
くどう 工藤|くの 久野|くぼ 久保|くぼた 久保田 窪田|くまがい 熊谷|くまだ 熊田|くらた 倉田|くりた 栗田|くりはら 栗原
くりやま 栗山|くろかわ 黒川|くろき 黒木|くろさわ 黒沢|くろだ 黒田|くわた 桑田|くわばら 桑原|こいけ 小池|こいずみ 小泉
こいわ 小岩|こうの 河野 幸野|こうだ 幸田 甲田|こが 古賀|こぐれ 木暮|こじま 小島 児島|こすぎ 小杉|こだま 児玉
ごとう 後藤 五藤|こにし 小西|こばやし 小林|こまつ 小松|こまつばら 小松原|こみや 小宮|こむろ 小室|こもり 小森|こやま 小山
こんどう 近藤|こんの 今野 紺野|こんだ 権田|さいき 佐伯|さいとう 斉藤|さかい 酒井 坂井 境|さかぐち 坂口
さかた 坂田|さかの 坂野|さかまき 坂巻|さかもと 坂本 阪本|さがら 相良|さくま 佐久間|さくらい 桜井|ささがわ 笹川
ささき 佐々木 佐佐木|ささもと 笹本|さとう 佐藤 左藤|さとみ 里見|さの 佐野|さわい 沢井|さわだ 沢田|さわむら 沢村
さんどう 山藤|しおざき 塩崎|しおざわ 塩沢|しおた 塩田|しおみ 塩見|しげた 重田|しが 志賀|しぶや 渋谷|しばさき 柴崎
しばた 柴田 芝田|しばやま 柴山|しまざき 島崎|しまだ 島田|しまぶくろ 島袋|しまむら 島村|しまもと 島本|しみず 清水
しむら 志村|しもだ 下田|しもむら 下村|しもやま 下山|しょうじ 庄司 東海林|しらい 白井|しらいし 白石|しらかわ 白川
しらとり 白鳥|じんぼ 神保|しんどう 進藤 新藤|しんの 新野|すえなが 末永|すえひろ 末広|すが 菅 須賀|すがい 菅井|すがぬま 菅沼
すがわら 菅原|すぎうら 杉浦|すぎた 杉田|すぎの 杉野|すぎはら 杉原|すぎもと 杉本|すぎやま 杉山|すざき 須崎
すずき 鈴木|すずむら 鈴村|すだ 須田|すとう 須藤 首藤|すみた 住田|せお 瀬尾|せき 関|せきぐち 関口|せきね 関根|せきや 関谷
せと 瀬戸|せのお 妹尾|せんだ 千田|そうま 相馬|そが 曽我|その 園|そのだ 園田|そめや 染谷|だいもん 大門|たおか 田岡
たかい 高井|たかぎ 高木|たかくら 高倉|たかしま 高島|たかすぎ 高杉|たかせ 高瀬|たかだ 高田|たかの 高野|たかはし 高橋
たかはた 高畑|たかはら 高原|たかまつ 高松|たかみ 高見|たかむら 高村|たかもと 高本|たかやま 高山|たがわ 田川|たきがわ 滝川
たきざわ 滝沢|たきもと 滝本|たぐち 田口|たけい 武井 竹井|たけうち 竹内 武内|たけだ 武田 竹田|たけした 竹下|たけなか 竹中
たけむら 竹村|たけもと 竹本|たけやま 竹山|たざわ 田沢|たざき 田崎|たじま 田島 但馬|たしろ 田代|ただ 多田|たちばな 橘 立花
たつみ 辰巳|たどころ 田所|たなか 田中|たなべ 田辺|たにがわ 谷川|たにぐち 谷口|たに 谷|たにもと 谷本|たのうえ 田上
たはら 田原|たばた 田端 田畑|たまい 玉井|たまき 玉木|たまる 田丸|たむら 田村|ちの 茅野|ちば 千葉|つかだ 塚田|つかもと 塚本
つくだ 佃|つじ 辻|つじい 辻井|つじむら 辻村|つじもと 辻本|つだ 津田|つちだ 土田|つちや 土屋 土谷|つつい 筒井|つつみ 堤
つねだ 常田|つのだ 角田|つぼい 坪井|つるた 鶴田|てづか 手塚|てらい 寺井|てらだ 寺田|てらしま 寺島|てらもと 寺本
でぐち 出口|どい 土井|とうどう 藤堂|とおやま 遠山|ときた 時田|とくだ 徳田|とくなが 徳永|とくやま 徳山
とざわ 戸沢|とだ 戸田|とみた 富田|とみなが 富永|とみざわ 富沢|ともだ 友田|とやま 外山|とよだ 豊田|とりい 鳥居
とりやま 鳥山|ないとう 内藤|なおい 直井|なかい 中井 仲井|なかお 中尾|なかおか 中岡|なかがわ 中川|なかざき 中崎
なかざわ 中沢|なかじま 中島|なかた 中田|なかだ 仲田|なかにし 中西|なかね 中根|なかの 中野|なかはら 中原|なかむら 中村 仲村
なかもと 中本|なかやま 中山|ながい 永井 長井|ながお 長尾|ながおか 長岡|ながさわ 長沢|ながしま 長島 永島|ながた 永田
ながの 永野 長野|ながはま 長浜|ながやま 永山|なす 那須|なつめ 夏目|なら 奈良|なりた 成田|なるみ 鳴海|なんば 難波
にいくら 新倉|にいみ 新美|にし 西|にしい 西井|にしお 西尾|にしおか 西岡|にしかわ 西川|にしざわ 西沢|にしだ 西田
にしの 西野|にしはら 西原|にしむら 西村|にしもと 西本|にしやま 西山|にった 新田|にわ 丹羽|ぬまた 沼田|ねぎし 根岸
ねもと 根本|のがみ 野上|のぐち 野口|のざき 野崎|のざわ 野沢|のだ 野田|のなか 野中|のはら 野原|のむら 野村|のもと 野本
はが 芳賀|はしぐち 橋口|はしづめ 橋爪|はしもと 橋本|はせがわ 長谷川|はせべ 長谷部|はた 畑 秦|はだ 羽田|はたけやま 畠山
はっとり 服部|はなだ 花田|はなおか 花岡|はなわ 塙|はにゅう 羽生|ばば 馬場|はま 浜|はまぐち 浜口|はまざき 浜崎
はまだ 浜田|はまの 浜野|はやかわ 早川|はやさか 早坂|はやし 林|はやしだ 林田|はら 原|はらぐち 原口|はらだ 原田
はらの 原野|はるやま 春山|はんだ 半田|ばんどう 坂東 板東|ばんの 伴野|ひがしの 東野|ひぐち 樋口|ひの 日野|ひびの 日比野
ひらい 平井|ひらいわ 平岩|ひらおか 平岡|ひらかわ 平川|ひらた 平田|ひらの 平野|ひらまつ 平松|ひらもと 平本|ひらやま 平山
ひろせ 広瀬|ひろた 広田|ひろなか 広中|ふかがわ 深川|ふかざわ 深沢|ふかや 深谷|ふくい 福井|ふくおか 福岡|ふくざわ 福沢
ふくし 福士|ふくしま 福島|ふくだ 福田|ふくなが 福永|ふくはら 福原|ふくもと 福本|ふくやま 福山|ふじい 藤井|ふじえだ 藤枝
ふじおか 藤岡|ふじかわ 藤川|ふじさき 藤崎|ふじさわ 藤沢|ふじた 藤田|ふじなみ 藤波|ふじの 藤野|ふじまき 藤巻|ふじむら 藤村
ふじもと 藤本|ふじもり 藤森|ふじわら 藤原|ふたば 双葉|ふなき 船木|ふなこし 船越|ふなばし 船橋|ふなやま 船山|ふるかわ 古川
ふるた 古田|ふるや 古谷 古屋|ほさか 保坂|ほしの 星野|ほし 星|ほそい 細井|ほそかわ 細川|ほそだ 細田|ほそや 細谷|ほった 堀田
ほり 堀|ほりい 堀井|ほりうち 堀内|ほりえ 堀江|ほりかわ 堀川|ほりぐち 堀口|ほんごう 本郷|ほんだ 本田 本多|ほんま 本間
まえかわ 前川|まえじま 前島|まえだ 前田|まえの 前野|まえはら 前原|まき 牧|まきの 牧野|まさき 正木|ますい 増井|ますだ 増田 益田
ますぶち 増渕|まちだ 町田|まつい 松井|まつうら 松浦|まつお 松尾|まつおか 松岡|まつかわ 松川|まつざき 松崎|まつざか 松坂
まつざわ 松沢|まつした 松下|まつしま 松島|まつだ 松田|まつなが 松永|まつの 松野|まつばら 松原|まつむら 松村|まつもと 松本
まつもり 松森|まつやま 松山|まなべ 真鍋 真部|まるやま 丸山|まるおか 丸岡|みうら 三浦|みかみ 三上|みさわ 三沢|みしま 三島
みずの 水野|みずぐち 水口|みずたに 水谷|みずしま 水島|みずもと 水本|みぞぐち 溝口|みたに 三谷|みたむら 三田村|みつい 三井
みなみ 南|みなもと 源|みねぎし 峰岸|みの 美濃|みやうち 宮内|みやがわ 宮川|みやぎ 宮城|みやけ 三宅|みやざき 宮崎
みやざわ 宮沢|みやした 宮下|みやじま 宮島|みやた 宮田|みやはら 宮原|みやべ 宮部|みやもと 宮本|みやわき 宮脇|みやま 深山
みよし 三好|むかい 向井|むとう 武藤|むらい 村井|むらかみ 村上|むらかわ 村川|むらせ 村瀬|むらた 村田|むらまつ 村松
むらやま 村山|むろい 室井|もうり 毛利|もちづき 望月|もちだ 持田|もとき 本木|もとはし 本橋|もとむら 本村|ももせ 百瀬
もり 森|もりい 森井|もりおか 森岡|もりかわ 森川|もりさき 森崎|もりした 森下|もりた 森田 守田|もりなが 森永|もりの 森野
もりむら 森村|もりもと 森本|もりや 守屋 森谷|もりやま 森山|もろほし 諸星|やぎ 八木|やざわ 矢沢|やじま 矢島|やすい 安井
やすだ 安田 保田|やぎした 八木下|やない 柳井|やなぎさわ 柳沢|やなぎだ 柳田|やの 矢野|やはぎ 矢作|やひろ 八尋|やまうち 山内
やまおか 山岡|やまかわ 山川|やまぎし 山岸|やまぐち 山口|やまざき 山崎|やました 山下|やましろ 山城|やまだ 山田|やまなか 山中
やまね 山根|やまの 山野|やまむら 山村|やまもと 山本 山元|やまもり 山森|やまうら 山浦|やまぎわ 山際|ゆあさ 湯浅|ゆもと 湯本
よこい 横井|よこかわ 横川|よこた 横田|よこやま 横山|よこお 横尾|よこうち 横内|よしい 吉井|よしおか 吉岡|よしかわ 吉川
よしざわ 吉沢|よしざき 吉崎|よしだ 吉田|よしなが 吉永|よしの 吉野|よしはら 吉原|よしみ 吉見|よしむら 吉村|よしもと 吉本
よねだ 米田|よねやま 米山|よねくら 米倉|よねざわ 米沢|わかばやし 若林|わかまつ 若松|わかやま 若山|わく 和久
わくい 和久井|わしお 鷲尾|わだ 和田|わたなべ 渡辺 渡部|わたり 渡利
あらがき 新垣|いくた 生田|いぐち 井口|いずみ 泉 和泉|いたがき 板垣|いたくら 板倉|いちかわ 市川|いちのせ 一ノ瀬|いで 井出 井手
いりえ 入江|いわぶち 岩渕|うかい 鵜飼|うさみ 宇佐美|うの 宇野|うめざわ 梅沢|えがわ 江川|えはら 江原|おおすが 大須賀
おか 岡|おがさわら 小笠原|おく 奥|おにづか 鬼塚|かすが 春日|かつた 勝田|かつら 桂|きた 北|きたじま 北島|きはら 木原|きみじま 君島
きりやま 桐山|くらもち 倉持|くりばやし 栗林|こいで 小出|こすげ 小菅|こたに 小谷|こみやま 小宮山|こやなぎ 小柳|さがわ 佐川
さたけ 佐竹|しのざき 篠崎|しのだ 篠田|しのはら 篠原|しもかわ 下川|すがや 菅谷|すぎむら 杉村|せがわ 瀬川|たいら 平良|たかなし 高梨
たましろ 玉城|とつか 戸塚|とみやま 富山|とよしま 豊島|なかざと 中里|ながせ 永瀬|にしぐち 西口|にしじま 西島|にしわき 西脇
はぎわら 萩原|はせ 長谷|はまもと 浜本|はまなか 浜中|はやせ 早瀬|ひが 比嘉|ひろかわ 広川|ほしな 保科|ほりこし 堀越|まの 真野
みき 三木|みやざと 宮里|よなは 与那覇|りゅうざき 竜崎
"""

FAMILY_NAMES: dict[str, str] = {
    name: reading
    for entry in _BY_READING.replace("\n", "|").split("|")
    if entry.strip()
    for reading, *names in [entry.split()]
    for name in names
}
"""The most common reading of each family name, in hiragana."""

FIRST_KANJI: dict[str, str] = {name[0]: reading[0] for name, reading in reversed(FAMILY_NAMES.items())}
"""How the first family name with each initial kanji begins."""

LONGEST_NAME = max(map(len, FAMILY_NAMES))
