"""Words so common that they are no names, as stems.

They are those that stand without a capital in the middle of a sentence in 40 or more of some 2,000 encyclopedia
articles and forum threads, and oftener than with one; a few of conversation were added.
"""

from __future__ import annotations

from drzero.loop.facts.wording import STOP_WORDS, stem

_STEMS = frozenset(
    (
        "abandon abil abl abov academ accept access acclaim accompani accord account accur achiev acid acquir across "
        "act action activ actor actual adapt add addit address administr adopt adult advanc advantag affect again "
        "against age agent ago agr agre agreement aid aim air album allow almost alon along alongsid alreadi altern "
        "alway amount ancient ani anim announc annual anoth answer anyth appar appeal appear appli applic appoint "
        "approach appropri approv approxim area argu arm armi around arrang arriv art articl artist ask aspect "
        "assembl assign assist associ assum attach attack attempt attend attent attract attribut audienc author avail "
        "averag avoid away back background bad balanc band base basi basic battl bean bear becam becaus becom befor "
        "began begin behind belief believ belong below benefit best better beyond big biggest birth bit bitter black "
        "block board bodi boil book border born bottom box branch brand break brew bring broad broadcast brother "
        "brought btw build built burn busi buy caffein call campaign cannot capit captur car care career carri case "
        "cast categori caus celebr cell center centr central centuri ceremoni certain chain challeng chanc chang "
        "channel charact character characterist charg chart chemic chief child children choic chose chosen chronolog "
        "church cite citi civil claim class classic classifi clean clear climat close cloth club coffe cold collabor "
        "collect coloni color combin come comedi command comment commerci commit common communic communiti compani "
        "compar comparison compet competit compil complet complex compon compos composit compound compris comput "
        "concentr concept concern concert conclud conclus condit conduct confirm conflict connect consequ conserv "
        "consid consider consist constant constitut construct consum contact contain contemporari content contest "
        "continu contract contrast contribut control controversi convent convert cook cool copi correct correspond "
        "cost countri coupl cours court cover creat creation credit critic cross cultur cup current custom cut daili "
        "damag danc danger dark data date daughter day deal death debat debut decad decid decis declar declin decreas "
        "deep defeat defend defens defin definit degre deliv demand demonstr depart depend depict deriv descend "
        "describ design desir despit destroy detail detect determin develop devic die differ difficult difficulti "
        "digit direct director discov discuss diseas display disput distanc distinct distinguish distribut divers "
        "divid divis document doe doesn domest domin don done doubl down drama dramat draw drawn dri drink drive drop "
        "due dure earli earlier earliest earn easi easili econom edit educ effect effort eight elect electr electron "
        "element elev els emerg emot employ encourag end energi engag engin enjoy enough ensur enter entir entitl "
        "environ episod equal equip equival era escap especi espresso essenti establish estim even event eventu ever "
        "everi everyth evid exact examin exampl except exchang exclus execut exhibit exist expand expect expens "
        "experi experienc explain explor expos express extend extens extract extrem eye face facil fact factor fail "
        "failur fair fall famili famous fan far farm fast father favor featur feel fell fellow felt femal few fiction "
        "field fifth fight figur fill film filter final financi find fine finish fire firm first fit five fix flat "
        "flavor flow focus follow food footbal forc foreign form formal format former forward found foundat founder "
        "four fourth free freedom frequent fresh friend front full fulli fun function fund fundament futur gain game "
        "gas gather gave general generat genr get give given global go goal goe gold good gosh got govern gradual "
        "grant great greater greatest green grew grind gross ground group grow growth guest guitar haha half hand "
        "handl happen hard head headquart health hear heard heart heat heavi heavili held hello help hey hi high "
        "higher highest himself histor histori historian hit hold home hope host hot hour hous howev human hundr idea "
        "ident identifi illustr imag immedi impact import impress improv includ incorpor increas independ indic "
        "individu industri influenc influenti inform inhabit initi insid inspir instanc instead instrument integr "
        "intend intens intent interact interest internal internat interpret interview introduc invent investig invit "
        "involv issu join joint judg keep kept key kill kind know knowledg known label lack land languag larg larger "
        "largest last late later latter launch law layer lead leader learn least leav led left leg legal length less "
        "let letter level lie life light limit line link list listen literatur littl live local locat lol long longer "
        "look loos lose loss lost lot low lower lyric machin magazin main maintain major male man manag mani "
        "manufactur mark market marri mass massiv master match materi matter maximum mean meant measur meat mechan "
        "media medic medium meet member memori men mention met metal method middl militari milk million mind minor "
        "minut mix model modern modifi moment money month morn mother motion mountain move movement movi multipl "
        "music musician nah name nativ natur near nearbi necessari need negat neither network never new next night "
        "nine nomin nope normal northern notabl note noth notic novel now number numer object observ obtain occasion "
        "occupi occur off offer offic offici oil ok okay old older oldest onc onli open oper opinion opportun oppos "
        "opposit order organiz origin otherwis outsid overal owner paid paint pair paper parallel parent part parti "
        "partial particip particular partner pass past pattern pay peak peopl perceiv perfect perform perhap period "
        "perman person phase physic piano pick pictur piec place plan plant play player plea plot plus poet point "
        "polici polit poor pop popul popular portion portray posit possess possibl post potenti pour power practic "
        "prais preced predict prefer premier prepar presenc present preserv press pressur pretti prevent previous "
        "price primari primarili princip principl print prior privat probabl problem process produc product "
        "profession program progress project promin promis promot proper properti proport propos protect prove provid "
        "provinc public publish pull purchas purpos push put qualiti quantiti question quick quit quot radio rais ran "
        "rang rank rapid rare rate rather reach reaction read real realiz realli reason receiv recent recogn "
        "recommend record red reduc refer reflect refus regard region regul regular reject relat relationship releas "
        "reli religi religion remain remov renew repeat replac report repres request requir research resembl reserv "
        "resid resist resourc respect respond respons rest restaur restor restrict result retain return reveal review "
        "reviv rhythm rich right rise risk roast rock role room root rough round rule run said sale sampl saw say "
        "scale scene schedul scholar school scienc scientif scientist score screen sea search season seat second "
        "secondari secret section secur see seek seem seen select sell sens sent separ sequenc seri serious serv "
        "servic session set settl seven sever shape share shift ship shoot shop short shot show shown side sign "
        "signific similar simpl simpli sinc sing singer singl sister sit site situat six sixth size skill slight slow "
        "slowli small smaller social societi sold soldier solo solut someon someth sometim somewhat son song songwrit "
        "soon sort soul sound soundtrack sourc southern space speak speci special specif speed spend spent split "
        "sport spot spread stabil stage stand standard star start statement station status stay step still stop store "
        "stori strength strike strong structur student studi studio style subject subsequ substanti succeed success "
        "suffer sugar suggest suit summer suppli support sure surfac surpris surround surviv symbol system tabl take "
        "taken talk target tast tea teach team technic techniqu technolog televis tell temperatur ten tend term "
        "territori test text thank theme themselv theori therefor thin thing think third though thought thousand "
        "three throughout tie time titl today togeth told took top total touch tour toward town trace track trade "
        "tradit train transfer transform transit translat transport travel treat treatment tree tri true turn two "
        "type typic ultim unabl understand uniqu unknown unlik upper urban usual valu vari variat varieti various "
        "vast veri version via video view visibl visit visual vocal voic volum vote wait walk wall want warm watch "
        "water wave way weak wear websit week weight well went wherea whether whi white whole wide widespread wife "
        "win woman women won word work worker world worldwid wow write writer written wrote yea yeah year yep yes "
        "young younger yup "
    ).split()
)
_INDEFINITE = frozenset(
    "nobody everybody somebody anybody everyone someone anyone nothing everything something anything none".split()
)
_USUAL_ENDINGS = ("ing", "ed", "ly")


def is_common(word: str) -> bool:
    """Whether a case-folded word is a common one, or has an ending that names seldom have."""
    return word in STOP_WORDS | _INDEFINITE or stem(word) in _STEMS or word.endswith(_USUAL_ENDINGS)
