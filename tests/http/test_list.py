def test_x(world):
    for k in ("Country","Airport","Carrier","Customer","Product","Shipment","Order"):
        print(world.make(k))
    for q in ["","?limit=0","?limit=1.5","?limit=99999999999999999999999","?x=1&x=2","?limit=","?sort=","?filter=","?projection=","?skip=-0","?limit=%31","?limit=1_0","?limit=+5","?limit= 5","?filter=name:*","?sort=customsToken","?filter=customsToken:a","?projection=%2BcustomsToken","?limit=1&limit=2","?%00=1","?a%ff=1","?filter=%ff","?&&&","?limit=5;skip=1","?"+"a=1&"*200,"?projection=-id","?projection=-refName","?projection=status", "?sort=status,status","?sort=lines","?sort=id","?filter=id:abc","?sort=-+status","?limit=５","?limit=1e2","?skip=2147483648","?LIMIT=5","?lim=5"]:
        r=world.ask("GET /logistics/shipments/list"+q)
        print(q[:50], r.status_code, r.text[:600])
