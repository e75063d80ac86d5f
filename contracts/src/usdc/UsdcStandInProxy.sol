// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC1967Proxy} from "@openzeppelin/contracts/proxy/ERC1967/ERC1967Proxy.sol";
import {ERC1967Utils} from "@openzeppelin/contracts/proxy/ERC1967/ERC1967Utils.sol";

/// @title The proxy in front of `UsdcStandIn`. Like Circle's proxy, it reads admin and implementation on every call.
contract UsdcStandInProxy is ERC1967Proxy {
    /// @param proxyAdmin Cannot use the token, as in Circle's proxy. There is no upgrade function.
    constructor(address implementation, address proxyAdmin, bytes memory data) ERC1967Proxy(implementation, data) {
        ERC1967Utils.changeAdmin(proxyAdmin);
    }

    function _fallback() internal override {
        require(msg.sender != ERC1967Utils.getAdmin(), "Cannot call fallback function from the proxy admin");
        super._fallback();
    }
}
